import MediaKernel
import Rooms
import Signalling
internal import Synchronization

/// What others ask of a publisher's microphone and camera, on its way from signalling to the media
/// loop. Nobody sits before a file who could say no, so all of it is done.
final class MuteRequests: Sendable {
    struct Request: Hashable, Sendable {
        var isMuted: Bool
        var target: Target
    }

    enum Target: Hashable, Sendable {
        case track(id: String)
        case kind(isVideo: Bool)
    }

    /// Requests between two ticks; a server lets nobody ask so often.
    static let maximum = 64

    private let waiting = Mutex<[Request]>([])

    /// Takes note of an event that asks for something.
    func note(_ event: SignallingEvent) {
        let requests = Self.requests(of: event)
        waiting.withLock { $0 = ($0 + requests).suffix(Self.maximum) }
    }

    /// Everything since the last time, in order.
    func take() -> [Request] {
        waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
    }

    static func requests(of event: SignallingEvent) -> [Request] {
        switch event {
        case .trackMuteRequested(let request):
            return [
                Request(isMuted: request.mute, target: .track(id: request.trackID.description))
            ]
        case .mutesRequested(let request):
            // Of all sources, a file is a camera and a microphone.
            guard request.source ?? "regular" == "regular" else { return [] }
            return [false, true].filter { isVideo in
                request.type.map { ($0 == .video) == isVideo } ?? true
            }
            .map { Request(isMuted: request.value, target: .kind(isVideo: $0)) }
        default:
            return []
        }
    }
}
