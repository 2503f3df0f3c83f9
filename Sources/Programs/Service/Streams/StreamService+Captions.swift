import ControlAPI
import Logging
public import MediaKernel
import Recording
public import Streams

extension StreamService {
    /// The bot reads them from the log.
    public func addCaptions(
        _ requests: [CaptionRequest], language: String?, to id: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await stream(id) else { throw .notFound("stream \(id)") }
        let language = try Self.language(language, of: record)
        guard let life = book[life: id], life.status == .running else {
            throw .notRunning(id)
        }
        if let early = requests.first(where: { $0.end <= record.createdAt.milliseconds }) {
            throw .invalidCaption(
                "start \(early.start) is before the stream began, at "
                    + "\(record.createdAt.milliseconds)")
        }
        let maximum = Caption.perStreamMaximum
        guard life.captions.count + requests.count <= maximum else {
            throw .tooManyCaptions(id, maximum: maximum)
        }
        let instant = clock().instant
        guard book[life: id]?.captions.rate.take(requests.count, at: instant) == true else {
            throw .tooFast(perSecond: Limits.captionsPerSecond)
        }
        // A number that may have been saved is never reused.
        let first = life.captions.count + 1
        book[life: id]?.captions.count += requests.count
        let captions = requests.enumerated().map { index, request in
            Caption(
                number: first + index, language: language.code, start: request.start,
                end: request.end, speaker: request.speaker, peer: request.peer,
                text: request.text)
        }
        let directory = life.directory
        let errand = errand(for: id) { service -> Result<Bool, RecordingError> in
            do throws(RecordingError) {
                return .success(
                    try await service.persister.onDisk { (disk) throws(RecordingError) in
                        try disk.append(captions, in: directory)
                    })
            } catch {
                return .failure(error)
            }
        }
        switch await errand?.value {
        case .failure(let error)?: throw .storage(error.description)
        case .success(false)?: throw .tooManyCaptions(id, maximum: maximum)
        case .success(true)?, nil: break
        }
        log(
            .debug, "captions added", id,
            [
                "count": "\(captions.count)", "language": "\(language.code)",
                "by": "\(addedBy?.rawValue ?? "server")",
            ])
        return book[id] ?? record
    }

    private static func language(
        _ code: String?, of stream: LiveStream
    ) throws(LiveStreamError) -> CaptionLanguage {
        let captions = stream.plan.captions
        if let found = captions.language(code) { return found }
        guard !captions.languages.isEmpty else {
            throw .invalidCaption("stream \(stream.id) was started without captions")
        }
        let known = captions.languages.map(\.code).joined(separator: ", ")
        throw .invalidCaption("language is one of \(known)")
    }
}
