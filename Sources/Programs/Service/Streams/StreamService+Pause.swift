import ChildProcesses
import Logging
public import MediaKernel
public import Streams

extension StreamService {
    /// The assets lack the paused part; the live stream goes on.
    public func setRecording(
        stream id: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream {
        let record = try await onAir(id)
        guard let life = book[life: id], life.order != nil else { throw .notRecorded(id) }
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
