internal import PeerConnection
internal import Synchronization

/// What the media, or the bridge, tell a call. Each fact names the session that it belongs to.
enum CallFact: Hashable, Sendable {
    case state(Int, PeerConnectionState)
    case channelOpened(Int)
    case channelClosed(Int)
    case heard(Int, String)
}

/// Facts until the call takes them. All states are kept: they are few, since they follow our own
/// orders and the clock, and one that is lost would never be told again. The bridge's messages, of
/// which a stranger makes as many as it likes, are left out while too many bytes of them wait.
final class CallFacts: Sendable {
    static let bytesMaximum = 4 << 20

    private struct Waiting {
        var facts: [CallFact] = []
        var bytes = 0
        var left = 0
    }

    private let waiting = Mutex(Waiting())
    /// Says that facts wait.
    let calls: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    init() { (calls, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func tell(_ fact: CallFact) {
        waiting.withLock { waiting in
            if case .heard(_, let text) = fact {
                guard waiting.bytes + text.utf8.count <= Self.bytesMaximum else {
                    waiting.left += 1
                    return
                }
                waiting.bytes += text.utf8.count
            }
            waiting.facts.append(fact)
        }
        bell.yield()
    }

    /// All that wait, in their order, and how many messages were left out.
    func take() -> ([CallFact], left: Int) {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return (waiting.facts, waiting.left)
        }
    }
}
