import Clocks
import MediaKernel
import NIOCore
import NIOWebSocket
import Synchronization

/// The sending half of an accepted socket. May be used from anywhere.
///
/// It buffers nothing: a message stays with its sender until the client's TCP connection has taken
/// it. The sender decides how much may wait, and when to drop a client that does not read.
public final class WebSocketConnection: Sendable {
    enum Outgoing: Sendable {
        case text(String)
        /// Its data comes from `takePong` when it is written.
        case pong
        case close(code: UInt16, reason: String)
    }

    private struct State {
        var isClosed = false
        /// The senders of unwritten messages, in order.
        var senders: [CheckedContinuation<Bool, Never>] = []
        /// The data of the newest unanswered ping.
        var pong: ByteBuffer?
    }

    private let state = Mutex(State())
    private let outbox: AsyncStream<Outgoing>.Continuation
    /// Drained by the channel's writer, which reports back with `written`.
    let outgoing: AsyncStream<Outgoing>
    private let drop: @Sendable (Duration) -> Void

    /// How long a close may take, including the messages queued before it and the client's answer.
    static let closeTimeout: Duration = .seconds(5)

    /// - Parameter drop: ends the connection after a delay, without a closing handshake.
    init(drop: @escaping @Sendable (Duration) -> Void) {
        // Unbounded as a type: it holds at most one message per waiting sender, one pong and one
        // close.
        (outgoing, outbox) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        self.drop = drop
    }

    /// Sends a text message. Returns true when the client's TCP connection has taken it, and false
    /// when it never will.
    public func send(_ text: String) async -> Bool {
        await withCheckedContinuation { sender in
            let isClosed = state.withLock { state in
                guard !state.isClosed else { return true }
                state.senders.append(sender)
                // Inside the lock, so that messages leave in the order of their senders.
                outbox.yield(.text(text))
                return false
            }
            if isClosed { sender.resume(returning: false) }
        }
    }

    /// Starts the closing handshake: queued messages are still sent, then the close frame.
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

    /// Answers a ping; of several waiting ones only the newest (RFC 6455 sect. 5.5.3).
    func pong(_ data: ByteBuffer) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.pong == nil { outbox.yield(.pong) }
            state.pong = data
        }
    }

    /// The data of the pong that is about to be written.
    func takePong() -> ByteBuffer {
        state.withLock { state in
            defer { state.pong = nil }
            return state.pong ?? ByteBuffer()
        }
    }

    /// The connection is gone: nothing can be sent any more.
    func disconnected() {
        let senders = state.withLock { state in
            state.isClosed = true
            defer { state.senders = [] }
            return state.senders
        }
        outbox.finish()
        for sender in senders { sender.resume(returning: false) }
    }

    /// The client's TCP connection has taken the oldest message.
    func written() {
        let sender = state.withLock { state in
            state.senders.isEmpty ? nil : state.senders.removeFirst()
        }
        sender?.resume(returning: true)
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
        private var control: TokenBucket

        /// The rate of a client's pings and pongs, per second in the long run, and in a burst.
        static let controlFramesPerSecond = 10
        static let controlFramesBurst = 100

        init(inbound: WebSocketInbox.Frames.AsyncIterator, connection: WebSocketConnection) {
            self.inbound = inbound
            self.connection = connection
            control = TokenBucket(
                rate: Self.controlFramesPerSecond, burst: Self.controlFramesBurst,
                at: MonotonicClock.now)
        }

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
                case .ping, .pong:
                    guard control.take(at: MonotonicClock.now) else {
                        connection.close(code: 1008, reason: "too many pings")
                        continue
                    }
                    if frame.opcode == .ping { connection.pong(frame.unmaskedData) }
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
