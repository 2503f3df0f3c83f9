import Catalogue
import ControlAPI
import MediaKernel
import Streams

/// The state that `StreamService` keeps of a stream until its end, beside its record.
struct StreamLife {
    var machine: StreamMachine
    /// The full name, even if the request left it out. Empty for a stream that an earlier server
    /// left behind, which is over.
    var destination = ""
    var directory: String
    var requestedAt: Instant
    /// Both nil if the stream is not recorded.
    var order: RecordingOrder?
    var place: RecordingPlace?
    /// The bot is running; this is reported at this time, or as soon as the copy in the store is
    /// playable.
    var runningIsHeldUntil: Instant?
    /// The amount of timed metadata accepted.
    var metadataCount = 0
    var metadataRate = TokenBucket(
        rate: Limits.timedMetadataPerSecond, burst: Limits.timedMetadataBurst, at: .zero)
    var captions = Captions()
    /// When the bot was last told that somebody looks at the preview.
    var previewToldAt: Instant?
    var processes = StreamProcesses()
    /// Work for the stream, one task after the other, since a disk may hang.
    var errands = StreamErrands()

    /// The captions accepted.
    struct Captions {
        var count = 0
        var rate = TokenBucket(
            rate: Limits.captionsPerSecond, burst: Limits.captionsBurst, at: .zero)
    }

    /// The machine's status; reports follow once it is saved.
    var status: LiveStream.Status { machine.status }
}

extension StreamLife {
    /// How long the report of a running stream waits for its copy in a store.
    static let copyWaitMaximum: Duration = .seconds(5)

    /// Until when to delay the report that the stream is running, so that viewers are not sent to
    /// an empty store. The delay is short, since an unreachable store must not prevent the start.
    /// Nil if there is nothing to wait for.
    func runningIsHeld(_ stream: LiveStream, hasCopies: Bool, at now: Instant) -> Instant? {
        guard hasCopies, stream.kind == .stream, status == .starting,
            stream.upload?.isPlayable != true
        else { return nil }
        let end = now + Self.copyWaitMaximum
        return machine.nextDeadline.map { min($0 - .seconds(1), end) } ?? end
    }
}

/// News for the rooms.
enum StreamingChange: Sendable {
    case streams(room: RoomID, [LiveStream])
    /// What the room shows, and the recording that has changed: the next one may be on air by then.
    case recording(room: RoomID, shown: LiveStream, changed: LiveStream)
    /// Streams and recordings with outputs.
    case outputs(room: RoomID, [LiveStream])
}
