import ChildProcesses
import ControlAPI
import Logging
public import MediaKernel
import Recording
public import Streams

extension StreamService {
    /// Written down first, so that it is neither lost with a bot nor left out of the VOD.
    public func addTimedMetadata(
        _ requests: [TimedMetadataRequest], to id: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await stream(id) else { throw .notFound("stream \(id)") }
        guard let life = book[life: id], life.status == .running else {
            throw .notRunning(id)
        }
        let (instant, time) = clock()
        let first = life.metadataCount + 1
        guard life.metadataCount + requests.count <= TimedMetadata.perStreamMaximum else {
            throw .tooMuchTimedMetadata(id, maximum: TimedMetadata.perStreamMaximum)
        }
        guard book[life: id]?.metadataRate.take(requests.count, at: instant) == true else {
            throw .tooFast(perSecond: Limits.timedMetadataPerSecond)
        }
        // A number that may have been written down is not given again.
        book[life: id]?.metadataCount += requests.count
        let metadata = requests.enumerated().map { index, request in
            TimedMetadata(
                number: first + index, start: time.milliseconds, seconds: request.seconds,
                payload: request.payload)
        }
        let directory = life.directory
        let errand = errand(for: id) { service -> RecordingError? in
            do throws(RecordingError) {
                try await service.persister.onDisk { (disk) throws(RecordingError) in
                    try disk.append(metadata, in: directory)
                }
                return nil
            } catch {
                return error
            }
        }
        if let error = await errand?.value ?? nil { throw .storage(error.description) }
        // To the bot of then: its successor reads what was written down.
        for one in metadata { life.processes.tell(.metadata(one)) }
        log(
            .info, "timed metadata added", id,
            ["count": "\(metadata.count)", "by": "\(addedBy?.rawValue ?? "server")"])
        return book[id] ?? record
    }
}
