import MediaKernel
import RemoteRoom
internal import Synchronization

/// What others ask of a publisher's microphone and camera, on its way from the room's events to the
/// media loop. Nobody sits before a file who could say no, so all of it is done.
final class MuteRequests: Sendable {
    /// Requests between two ticks; a server lets nobody ask so often.
    static let maximum = 64

    private let waiting = Mutex<[TrackMuteRequest]>([])

    func note(_ request: TrackMuteRequest) {
        waiting.withLock { $0 = ($0 + [request]).suffix(Self.maximum) }
    }

    /// Everything since the last time, in order.
    func take() -> [TrackMuteRequest] {
        waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
    }
}
