import ChildProcesses
import Logging
public import MediaKernel
public import Streams

extension StreamService {
    /// The paused part is in no asset; the live stream goes on.
    public func setRecording(
        stream id: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream {
        guard let record = try await stream(id) else { throw .notFound("stream \(id)") }
        guard let life = book[life: id], life.status.isOnAir, life.status != .stopping
        else { throw .notOnAir(id) }
        guard life.order != nil else { throw .notRecorded(id) }
        guard (record.recordingPause == .paused) != isPaused else { return record }
        let time = clock().time
        book.update(id) { stream in
            stream.recordingPause = isPaused ? .paused : .resumed
            stream.updatedAt = time
        }
        life.processes.tell(.recordingPaused(isPaused))
        chat.setPaused(isPaused, id)
        log(.info, isPaused ? "recording paused" : "recording resumed", id)
        announce(id)
        return book[id] ?? record
    }
}
