import Dispatch
import Logging
import Recording
import Rooms
import Synchronization

/// Writes the chat of one recorded stream, on a queue of its own: a hanging disk delays neither the
/// room nor other writers.
final class ChatWriter: Sendable {
    /// The most UTF-8 bytes of lines that wait for the disk. Further messages are dropped.
    static let waitingBytesMaximum = 1 << 20

    private struct State {
        var isPaused: Bool
        var waitingBytes = 0
        /// Messages are being lost because the disk is too slow.
        var isBehind = false
        /// The file has reached its maximal length.
        var isFull = false
        /// The recent messages' lines in the file, by the messages' ids …
        var lines: [String: Range<Int>] = [:]
        /// … and the ids in order, the oldest first.
        var order: [String] = []

        mutating func note(_ line: Range<Int>, of message: String) {
            lines[message] = line
            order.append(message)
            guard order.count > RoomLimits.deletableMessages * 2 else { return }
            let excess = order.count - RoomLimits.deletableMessages
            for old in order.prefix(excess) { lines[old] = nil }
            order.removeFirst(excess)
        }
    }

    private enum Verdict {
        case kept
        /// - Parameter isNew: whether it is the first lost message since the disk last kept up.
        case lost(isNew: Bool)
        case unwanted
    }

    private let file: ChatFile
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "chat")
    private let logger: Logger

    init(_ file: ChatFile, isPaused: Bool, logger: Logger) {
        self.file = file
        self.logger = logger
        state = Mutex(State(isPaused: isPaused))
    }

    func setPaused(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// - Parameter id: of a message that may be deleted.
    func said(_ record: ChatRecord, id: String?) {
        let byteCount = record.line.utf8.count
        let verdict = state.withLock { state -> Verdict in
            guard !state.isPaused, !state.isFull else { return .unwanted }
            guard state.waitingBytes + byteCount <= Self.waitingBytesMaximum else {
                defer { state.isBehind = true }
                return .lost(isNew: !state.isBehind)
            }
            state.waitingBytes += byteCount
            return .kept
        }
        switch verdict {
        case .kept: queue.async { self.write(record, byteCount, id: id) }
        case .lost(isNew: true): logger.error("the disk does not keep up with the chat")
        case .lost(isNew: false), .unwanted: break
        }
    }

    /// Erases messages, also while the recording is paused.
    func unsaid(_ messages: [String]) {
        queue.async {
            let lines = self.state.withLock { state in
                messages.compactMap { state.lines.removeValue(forKey: $0) }
            }
            do {
                for line in lines { try self.file.erase(line) }
            } catch {
                self.logger.error(
                    "a deleted message cannot be erased", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Runs the body after all earlier messages are processed.
    func whenCaughtUp(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    private func write(_ record: ChatRecord, _ byteCount: Int, id: String?) {
        var isFull = state.withLock { $0.isFull }
        var line: Range<Int>?
        do {
            if !isFull {
                line = try file.append(record)
                if line == nil {
                    isFull = true
                    logger.warning("the chat is as long as it may be")
                }
            }
        } catch {
            logger.error("a message cannot be kept", metadata: ["error": "\(error)"])
        }
        state.withLock { state in
            state.isFull = isFull
            if let id, let line { state.note(line, of: id) }
            state.waitingBytes -= byteCount
            if state.waitingBytes == 0 { state.isBehind = false }
        }
    }
}
