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
        guard let entry = entries[id], entry.machine.status.isOnAir,
            entry.machine.status != .stopping
        else { throw .notOnAir(id) }
        guard entry.order != nil else { throw .notRecorded(id) }
        guard (record.recordingPause == .paused) != isPaused else { return record }
        let time = clock().time
        archive.update(id) { stream in
            stream.recordingPause = isPaused ? .paused : .resumed
            stream.updatedAt = time
        }
        entry.signals?.yield(.order(.recordingPaused(isPaused)))
        chat.setPaused(isPaused, id)
        log(.info, isPaused ? "recording paused" : "recording resumed", id)
        announce(id)
        return archive[id] ?? record
    }
}
