import Catalogue
import ControlAPI
import MediaKernel
import Streams

/// What `StreamService` keeps of a stream until it has come to its end, beside its record.
struct StreamLife {
    var machine: StreamMachine
    /// By its whole name, also where the request leaves it out. Empty for a stream that an earlier
    /// server left behind: it is over.
    var destination = ""
    var directory: String
    var requestedAt: Instant
    /// Both nil when it is not recorded.
    var order: RecordingOrder?
    var place: RecordingPlace?
    /// Its bot is running, which is told at this moment, or when the copy in the store can be played.
    var runningIsHeldUntil: Instant?
    /// Timed metadata that was taken.
    var metadataCount = 0
    var metadataRate = TokenBucket(
        rate: Limits.timedMetadataPerSecond, burst: Limits.timedMetadataBurst, at: .zero)
    var processes = StreamProcesses()
    /// What is to be done for it, one after the other, since a disk may hang.
    var errands = StreamErrands()

    /// As its machine has it: what is told of it follows when it is written down.
    var status: LiveStream.Status { machine.status }
}

extension StreamLife {
    /// How long the news that a stream is running waits for its copy in a store.
    static let copyWaitMaximum: Duration = .seconds(5)

    /// Until when the news that it is running is held back, so that viewers are not sent to where
    /// there is nothing yet: for a moment only, since a store that is away must not cost the stream
    /// its start. Nil when there is nothing to wait for.
    func runningIsHeld(_ stream: LiveStream, hasCopies: Bool, at now: Instant) -> Instant? {
        guard hasCopies, stream.kind == .stream, status == .starting,
            stream.upload?.isPlayable != true
        else { return nil }
        let end = now + Self.copyWaitMaximum
        return machine.nextDeadline.map { min($0 - .seconds(1), end) } ?? end
    }
}

/// What the rooms are to be told.
enum StreamingChange: Sendable {
    case streams(room: RoomID, [LiveStream])
    case recording(room: RoomID, LiveStream)
}
