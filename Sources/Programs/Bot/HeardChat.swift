import ChildProcesses
import MediaKernel
import RemoteRoom
import Streams

/// What is said to all in a conference, for the chat of its recording. The server hears the chat of
/// its own rooms itself.
struct HeardChat {
    /// Of messages, a second and at once. More come from nobody who types.
    static let rate = 20
    static let burst = 200

    private let isKept: Bool
    private var names: [PeerID: String] = [:]
    private var bucket: TokenBucket

    init(of source: StreamSource?, at now: Instant) {
        isKept = source?.hasChat ?? false
        bucket = TokenBucket(rate: Self.rate, burst: Self.burst, at: now)
    }

    mutating func know(_ peers: [RemotePeer]) {
        guard isKept else { return }
        names = Dictionary(peers.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    }

    /// Nil for a message of the room itself, for one to us alone, and for one too many.
    mutating func report(_ message: RoomMessage, at now: Instant) -> BotReport.Message? {
        guard isKept, !message.isPrivate, let sender = message.sender, bucket.take(at: now) else {
            return nil
        }
        // A text is decoded; any other JSON stays as it is.
        let text = try? JSONDocument.decode(String.self, from: message.content.text.utf8)
        return BotReport.Message(
            peerID: sender.rawValue, peer: names[sender] ?? message.senderName ?? "",
            type: message.type, text: text ?? message.content.text)
    }
}
