import ChildProcesses
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
        let language = try record.captionLanguage(language)
        if let early = requests.first(where: { $0.end <= record.createdAt.milliseconds }) {
            throw .invalidCaption(
                "start \(early.start) is before the stream began, at "
                    + "\(record.createdAt.milliseconds)")
        }
        let captions = try book.acceptCaptions(
            requests, in: language.code, of: id, at: clock().instant)
        let maximum = Caption.perStreamMaximum
        let directory = book[life: id]?.directory ?? ""
        let saved = errand(for: id) { service -> Result<Bool, RecordingError> in
            do throws(RecordingError) {
                return .success(
                    try await service.persister.onDisk { (disk) throws(RecordingError) in
                        try disk.append(captions, in: directory)
                    })
            } catch {
                return .failure(error)
            }
        }
        switch await saved?.value {
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
}

extension StreamBook {
    /// Counts captions that are to be saved. A number that may have been saved is never reused.
    ///
    /// - Throws: `notRunning`, `tooManyCaptions`, `tooFast`.
    mutating func acceptCaptions(
        _ requests: [CaptionRequest], in language: String, of id: StreamID, at now: Instant
    ) throws(LiveStreamError) -> [Caption] {
        guard let life = self[life: id], life.status == .running else { throw .notRunning(id) }
        let maximum = Caption.perStreamMaximum
        guard life.captions.count + requests.count <= maximum else {
            throw .tooManyCaptions(id, maximum: maximum)
        }
        guard self[life: id]?.captions.rate.take(requests.count, at: now) == true else {
            throw .tooFast(perSecond: Limits.captionsPerSecond)
        }
        let first = life.captions.count + 1
        self[life: id]?.captions.count += requests.count
        return requests.enumerated().map { index, request in
            Caption(
                number: first + index, language: language, start: request.start,
                end: request.end, speaker: request.speaker, peer: request.peer,
                text: request.text)
        }
    }
}

extension LiveStream {
    /// - Throws: `invalidCaption` with those that it has.
    fileprivate func captionLanguage(
        _ code: String?
    ) throws(LiveStreamError) -> CaptionLanguage {
        if let found = plan.captions.language(code) { return found }
        guard !plan.captions.languages.isEmpty else {
            throw .invalidCaption("stream \(id) was started without captions")
        }
        let known = plan.captions.languages.map(\.code).joined(separator: ", ")
        throw .invalidCaption("language is one of \(known)")
    }
}

extension CaptionRequest {
    /// Nil for words that cannot be shown. Impossible times become the present.
    init?(heard words: BotReport.Caption, at now: Int64) {
        let text = String(
            String.UnicodeScalarView(words.text.unicodeScalars.prefix(Limits.captionCharacters)))
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            return nil
        }
        func short(_ name: String?) -> String? {
            name.map {
                String(
                    String.UnicodeScalarView($0.unicodeScalars.prefix(Limits.speakerCharacters)))
            }
        }
        let age = Self.heardAgeMaximum
        let start = words.start.flatMap { (now - age...now + age).contains($0) ? $0 : nil } ?? now
        let end = words.end.flatMap {
            $0 > start && $0 - start <= Limits.captionMilliseconds ? $0 : nil
        }
        self.init(
            text: text, start: start, end: end ?? start + Self.readingTime(of: text),
            speaker: short(words.speaker), peer: short(words.peer))
    }

    /// Milliseconds. No program takes longer to understand.
    private static let heardAgeMaximum: Int64 = 600_000
}
