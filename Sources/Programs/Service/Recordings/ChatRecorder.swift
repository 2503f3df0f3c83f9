import ChildProcesses
import Foundation
import HLS
public import Logging
import MediaKernel
import Recording
import Rooms
import Synchronization

/// Records the chat of rooms while their streams are recorded: messages to everybody or to roles.
/// Messages to one peer are private, as with 100ms.
///
/// Callable from any thread without waiting for a disk: each stream has a ``ChatWriter``.
public final class ChatRecorder: Sendable {
    private struct Chats {
        /// Includes streams whose chat has ended but is not fully written.
        var writers: [StreamID: ChatWriter] = [:]
        /// The streams whose chat is being recorded.
        var streams: [RoomID: Set<StreamID>] = [:]
    }

    private let chats = Mutex(Chats())
    private let logger: Logger

    public init(logger: Logger) { self.logger = logger }

    /// - Parameter directory: the stream's existing directory.
    func begin(_ stream: StreamID, in room: RoomID, directory: String, isPaused: Bool) {
        var logger = logger
        logger[metadataKey: "stream"] = "\(stream)"
        logger[metadataKey: "room"] = "\(room)"
        let writer = ChatWriter(ChatFile(in: directory), isPaused: isPaused, logger: logger)
        chats.withLock { chats in
            chats.writers[stream] = writer
            chats.streams[room, default: []].insert(stream)
        }
    }

    func setPaused(_ isPaused: Bool, _ stream: StreamID) {
        chats.withLock { $0.writers[stream] }?.setPaused(isPaused)
    }

    /// Ending a chat that has not begun is no error.
    func end(_ stream: StreamID, in room: RoomID) {
        let writer = chats.withLock { chats -> ChatWriter? in
            chats.streams[room]?.remove(stream)
            if chats.streams[room]?.isEmpty == true { chats.streams[room] = nil }
            return chats.writers[stream]
        }
        writer?.whenCaughtUp { self.chats.withLock { $0.writers[stream] = nil } }
    }

    func said(_ message: Message, in room: RoomID) {
        let writers = chats.withLock { chats in
            (chats.streams[room] ?? []).compactMap { chats.writers[$0] }
        }
        guard !writers.isEmpty, let record = ChatRecord(message) else { return }
        for writer in writers { writer.said(record, id: message.id) }
    }

    /// The messages were deleted: what is recorded of them is erased.
    func unsaid(_ messages: [String], in room: RoomID) {
        let writers = chats.withLock { chats in
            (chats.streams[room] ?? []).compactMap { chats.writers[$0] }
        }
        for writer in writers { writer.unsaid(messages) }
    }

    /// Something was said in the conference that a stream shows, by its bot's account.
    func heard(
        _ message: BotReport.Message, in room: RoomID, of stream: StreamID, at time: UnixTime
    ) {
        let writer = chats.withLock { chats in
            chats.streams[room]?.contains(stream) == true ? chats.writers[stream] : nil
        }
        writer?.said(
            ChatRecord(
                senderID: message.peerID, senderName: message.peer, senderUserID: "", roles: [],
                sentAt: DateText.rendered(unixNanoseconds: time.nanoseconds), type: message.type,
                text: message.text), id: nil)
    }

    /// Waits until a stream's messages are in its file.
    ///
    /// - Returns: false on a timeout after `patience`, or if the task is cancelled.
    func caughtUp(_ stream: StreamID, within patience: Duration) async -> Bool {
        guard let writer = chats.withLock({ $0.writers[stream] }) else { return true }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        writer.whenCaughtUp { end.yield() }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ends.first { _ in true } != nil }
            group.addTask {
                try? await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
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
        // A text is decoded; any other JSON stays as it is.
        let text = try? JSONDocument.decode(String.self, from: message.body.text.utf8)
        self.init(
            senderID: sender?.id.rawValue ?? "", senderName: sender?.name ?? "",
            senderUserID: sender?.userID ?? "", roles: roles,
            sentAt: DateText.rendered(unixNanoseconds: message.sentAt.nanoseconds),
            type: message.type, text: text ?? message.body.text)
    }
}
