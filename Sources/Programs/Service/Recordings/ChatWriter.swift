import Dispatch
import Logging
import Recording
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

    func said(_ record: ChatRecord) {
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
        case .kept: queue.async { self.write(record, byteCount) }
        case .lost(isNew: true): logger.error("the disk does not keep up with the chat")
        case .lost(isNew: false), .unwanted: break
        }
    }

    /// Runs the body after all earlier messages are processed.
    func whenCaughtUp(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    private func write(_ record: ChatRecord, _ byteCount: Int) {
        var isFull = state.withLock { $0.isFull }
        do {
            if !isFull, try !file.append(record) {
                isFull = true
                logger.warning("the chat is as long as it may be")
            }
        } catch {
            logger.error("a message cannot be kept", metadata: ["error": "\(error)"])
        }
        state.withLock { state in
            state.isFull = isFull
            state.waitingBytes -= byteCount
            if state.waitingBytes == 0 { state.isBehind = false }
        }
    }
}
