import MediaKernel
import RemoteRoom
internal import Synchronization

/// Others' requests to mute or unmute a publisher's tracks, on their way from the room's events to
/// the media loop. A file publisher follows all of them, since there is no person to ask.
final class MuteRequests: Sendable {
    /// The most requests between two ticks; a server allows far fewer.
    static let maximum = 64

    private let waiting = Mutex<[TrackMuteRequest]>([])

    func note(_ request: TrackMuteRequest) {
        waiting.withLock { $0 = ($0 + [request]).suffix(Self.maximum) }
    }

    /// Everything since the last call, in order.
    func take() -> [TrackMuteRequest] {
        waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
    }
}
