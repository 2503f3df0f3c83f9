import NIOCore
import NIOWebSocket
import Synchronization

/// The sending half of an accepted socket. May be used from anywhere, by any number of tasks.
///
/// Messages wait in a bounded outbox until the client's TCP connection takes them. A client that
/// does not read is not waited for: when the outbox is full the connection is closed without what
/// waited, since a signalling protocol with a hole in it is worse than a reconnect.
public final class WebSocketConnection: Sendable {
    enum Outgoing: Sendable {
        case text(String)
        case pong(ByteBuffer)
        case close(code: UInt16, reason: String)
    }

    private struct State {
        var isClosed = false
        /// More was to be sent than may wait.
        var isOverrun = false
        /// What waits counts for so many.
        var waitingBytes = 0
        var waitingMessages = 0
    }

    private let state = Mutex(State())
    private let outbox: AsyncStream<Outgoing>.Continuation
    /// Drained by the channel's writer, which reports back with `written`.
    let outgoing: AsyncStream<Outgoing>
    private let limits: OutboxLimits
    private let drop: @Sendable (Duration) -> Void

    /// How long a close may take, with what is queued before it and the client's answer.
    static let closeTimeout: Duration = .seconds(5)

    /// - Parameter drop: ends the connection after a delay, without a closing handshake.
    init(limits: OutboxLimits, drop: @escaping @Sendable (Duration) -> Void) {
        // Unbounded as a type, bounded by the counts in `state`.
        (outgoing, outbox) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        self.limits = limits
        self.drop = drop
    }

    /// Queues a text message. After the close it does nothing.
    public func send(_ text: String) {
        let size = limits.weight(byteCount: text.utf8.count)
        let isFull = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.waitingMessages < limits.messages,
                state.waitingBytes + size <= limits.bytes
            else { return true }
            state.waitingMessages += 1
            state.waitingBytes += size
            // Inside the lock, so that messages leave in the order in which they were counted.
            outbox.yield(.text(text))
            return false
        }
        if isFull { overflow() }
    }

    /// Starts the closing handshake: what was queued is still sent, then the close frame.
    ///
    /// - Parameters:
    ///   - code: RFC 6455 sect. 7.4, or 4000–4999 for the application's own.
    ///   - reason: at most 123 bytes of it are sent.
    public func close(code: UInt16 = 1000, reason: String = "") {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            outbox.yield(.close(code: code, reason: reason))
            outbox.finish()
            return true
        }
        if isFirst { drop(Self.closeTimeout) }
    }

    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether it was closed because the client reads too slowly.
    public var isOverrun: Bool { state.withLock { $0.isOverrun } }

    /// What is to be written when it is this item's turn: nothing but the end once the client has
    /// fallen too far behind, so that one which still reads knows why.
    func due(_ item: Outgoing) -> Outgoing {
        isOverrun ? .close(code: 1013, reason: "reads too slowly") : item
    }

    /// Answers a ping. Pongs count like messages, or a flood of pings would fill the memory.
    func pong(_ data: ByteBuffer) {
        let isFull = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.waitingMessages < limits.messages else { return true }
            state.waitingMessages += 1
            state.waitingBytes += limits.weight(byteCount: data.readableBytes)
            outbox.yield(.pong(data))
            return false
        }
        if isFull { overflow() }
    }

    /// The connection is gone: nothing can be sent any more.
    func disconnected() {
        state.withLock { $0.isClosed = true }
        outbox.finish()
    }

    func written(byteCount: Int) {
        state.withLock { state in
            state.waitingMessages -= 1
            state.waitingBytes -= limits.weight(byteCount: byteCount)
        }
    }

    private func overflow() {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            state.isOverrun = true
            return true
        }
        guard isFirst else { return }
        outbox.finish()
        drop(Self.closeTimeout)
    }
}

/// The text messages of one socket, in order, until it closes for whatever reason. Can be read
/// once. Reading slowly slows the client down through TCP; nothing piles up here.
public struct WebSocketMessages: AsyncSequence, Sendable {
    public typealias Element = String

    let inbound: WebSocketInbox.Frames
    let connection: WebSocketConnection

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(inbound: inbound.makeAsyncIterator(), connection: connection)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let inbound: WebSocketInbox.Frames.AsyncIterator
        let connection: WebSocketConnection

        public mutating func next() async -> String? {
            // Broken connections end the sequence like closed ones: the peer is gone either way.
            while let frame = await inbound.next() {
                switch frame.opcode {
                case .text:
                    guard !connection.isClosed else { continue }
                    let bytes = frame.unmaskedData.readableBytesView
                    guard let text = String(validating: bytes, as: UTF8.self) else {
                        connection.close(code: 1007, reason: "text must be UTF-8")
                        continue
                    }
                    return text
                case .binary:
                    connection.close(code: 1003, reason: "only text messages are understood")
                case .ping:
                    connection.pong(frame.unmaskedData)
                case .connectionClose:
                    answerClose(frame)
                    return nil
                default: continue
                }
            }
            return nil
        }

        /// RFC 6455 sect. 5.5.1: the answer repeats the code, if one was given.
        private func answerClose(_ frame: WebSocketFrame) {
            var data = frame.unmaskedData
            connection.close(code: data.readInteger(as: UInt16.self) ?? 1000)
        }
    }
}
