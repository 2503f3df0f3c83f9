import Foundation
import HLS
public import Logging
import MediaKernel
import Recording
import Rooms
import Synchronization

/// Keeps the chat of rooms while their streams are recorded: what was said to everybody, or to
/// roles. What was said to one peer is private, as it is with 100ms.
///
/// From any thread. A message is in the file when `said` returns, so `kill -9` costs none.
public final class ChatRecorder: Sendable {
    private struct Chat {
        var file: ChatFile
        var isPaused: Bool
    }

    private let chats = Mutex<[RoomID: [StreamID: Chat]]>([:])
    private let logger: Logger

    public init(logger: Logger) { self.logger = logger }

    /// - Parameter directory: of the stream; it exists.
    func begin(_ stream: StreamID, in room: RoomID, directory: String, isPaused: Bool) {
        let chat = Chat(file: ChatFile(in: directory), isPaused: isPaused)
        chats.withLock { $0[room, default: [:]][stream] = chat }
    }

    func setPaused(_ isPaused: Bool, _ stream: StreamID, in room: RoomID) {
        chats.withLock { $0[room]?[stream]?.isPaused = isPaused }
    }

    /// Ending what has not begun is no error.
    func end(_ stream: StreamID, in room: RoomID) {
        chats.withLock { chats in
            chats[room]?[stream] = nil
            if chats[room]?.isEmpty == true { chats[room] = nil }
        }
    }

    func said(_ message: Message, in room: RoomID) {
        guard let record = ChatRecord(message) else { return }
        chats.withLock { chats in
            for (stream, chat) in chats[room] ?? [:] where !chat.isPaused {
                if keep(record, in: chat.file, of: stream, room) { continue }
                chats[room]?[stream] = nil
            }
        }
    }

    /// - Returns: whether more can be kept.
    private func keep(
        _ record: ChatRecord, in file: ChatFile, of stream: StreamID, _ room: RoomID
    ) -> Bool {
        let metadata: Logger.Metadata = ["stream": "\(stream)", "room": "\(room)"]
        do {
            if try file.append(record) { return true }
            logger.warning("the chat is as long as it may be", metadata: metadata)
            return false
        } catch {
            logger.error(
                "a message cannot be kept",
                metadata: metadata.merging(["error": "\(error)"]) { given, _ in given })
            return true
        }
    }
}

extension ChatRecord {
    /// Nil for a message to one peer.
    init?(_ message: Message) {
        let roles: [String]
        switch message.audience {
        case .everybody: roles = []
        case .roles(let names): roles = names
        case .peer: return nil
        }
        let sender = message.sender
        // A text as such, any other JSON as it came.
        let text = try? JSONDecoder().decode(String.self, from: Data(message.body.text.utf8))
        self.init(
            senderID: sender?.id.rawValue ?? "", senderName: sender?.name ?? "",
            senderUserID: sender?.userID ?? "", roles: roles,
            sentAt: DateText.rendered(unixNanoseconds: message.sentAt.milliseconds * 1_000_000),
            type: message.type, text: text ?? message.body.text)
    }
}
