internal import ClientConnections
internal import Clocks
internal import MediaKernel
internal import NIOCore
internal import NIOPosix
internal import Synchronization
public import XML
public import XMPP

/// A component of an XMPP server (XEP-0114): it has all addresses of its domain.
///
/// The protocol has no TLS: server and component are on one machine, or in one network that nobody
/// else is in. `run` is one connection. For the next one, call it again after a ``Backoff``.
public final class XMPPComponent: Sendable {
    public enum Event: Sendable {
        /// Stanzas may be sent. What was before is forgotten: no room is joined.
        case online
        case stanza(XMLElement)
    }

    /// Of stanzas that wait for the connection, in bytes. Beyond it the server does not read.
    static let backlogMaximum = 8 << 20
    static let connectTimeout = Duration.seconds(10)
    static let handshakeTimeout = Duration.seconds(15)
    /// After so long a silence the server is asked whether it is there …
    static let silence = Duration.seconds(30)
    /// … and after so long it is not.
    static let silenceMaximum = Duration.seconds(60)

    private struct State {
        var outgoing: AsyncStream<String>.Continuation?
        var backlog = 0
        var heardAt = Instant.zero
        var isOpen = false
    }

    private let domain: String
    private let secret: String
    private let host: String
    private let port: Int
    /// Answers when it is asked, with whatever.
    private let asked: String
    private let state = Mutex(State())

    /// - Parameter asked: another domain of the server, by which it is known to be alive.
    public init(domain: String, secret: String, host: String, port: Int, asked: String) {
        (self.domain, self.secret, self.host, self.port) = (domain, secret, host, port)
        self.asked = asked
    }

    /// Sends a stanza, which says from which of our addresses it is. Must not wait; without a
    /// connection it is dropped.
    public func post(_ stanza: XMLElement) {
        enqueue(stanza.xml(in: Namespaces.client), onlyOpen: true)
    }

    /// One connection, until it ends or the task is cancelled.
    ///
    /// - Parameter take: gets the events, one after the other. While it works, nothing is read.
    public func run(_ take: @escaping @Sendable (Event) async -> Void) async -> ConnectionEnd {
        let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do {
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(Self.connectTimeout))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            return .unreachable(ConnectionFault.words(error))
        }
        let (texts, outgoing) = AsyncStream.makeStream(of: String.self)
        state.withLock {
            $0 = State(outgoing: outgoing, heardAt: MonotonicClock.now)
        }
        defer { state.withLock { $0 = State() } }
        do {
            return try await channel.executeThenClose { inbound, outbound in
                await self.talk(inbound, outbound, texts, take)
            }
        } catch {
            return .lost(ConnectionFault.words(error))
        }
    }

    private func talk(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, _ texts: AsyncStream<String>,
        _ take: @escaping @Sendable (Event) async -> Void
    ) async -> ConnectionEnd {
        await withTaskGroup(of: ConnectionEnd.self) { group in
            group.addTask { await self.read(inbound, take) }
            group.addTask { await self.write(texts, to: outbound) }
            group.addTask { await self.watch() }
            let end = await group.next() ?? .left
            group.cancelAll()
            return end
        }
    }

    private func read(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ take: @Sendable (Event) async -> Void
    ) async -> ConnectionEnd {
        var stream = ComponentStream(domain: domain, secret: secret)
        enqueue(stream.opening, onlyOpen: false)
        do {
            for try await buffer in inbound {
                state.withLock { $0.heardAt = MonotonicClock.now }
                var orders: [ComponentStream.Order] = []
                var failure: StreamFailure?
                do throws(StreamFailure) {
                    try stream.received(buffer.readableBytesView) { orders.append($0) }
                } catch {
                    failure = error
                }
                for order in orders {
                    switch order {
                    case .send(let text): enqueue(text, onlyOpen: false)
                    case .ready:
                        state.withLock { $0.isOpen = true }
                        await take(.online)
                    case .stanza(let stanza): await take(.stanza(stanza))
                    case .closed: return .closed
                    }
                }
                if let failure { return .failed(failure) }
            }
        } catch is CancellationError {
            return .left
        } catch {
            return .lost(ConnectionFault.words(error))
        }
        return Task.isCancelled ? .left : .lost("the server closed the connection")
    }

    private func write(
        _ texts: AsyncStream<String>, to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async -> ConnectionEnd {
        do {
            for await text in texts {
                try await outbound.write(ByteBuffer(string: text))
                state.withLock { $0.backlog -= text.utf8.count }
            }
        } catch {
            return .lost(ConnectionFault.words(error))
        }
        // Somebody has ended the queue: too much waited.
        return Task.isCancelled ? .left : .overrun
    }

    /// Ends the connection when the server is silent.
    private func watch() async -> ConnectionEnd {
        let start = MonotonicClock.now
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(5))
            let (isOpen, heardAt) = state.withLock { ($0.isOpen, $0.heardAt) }
            let now = MonotonicClock.now
            if !isOpen, now - start > Self.handshakeTimeout { return .silent(.opening) }
            if now - heardAt > Self.silenceMaximum { return .silent(.open) }
            if isOpen, now - heardAt > Self.silence { ask() }
        }
        return .left
    }

    private func ask() {
        var ping = XMLElement(
            "iq", Namespaces.client, ["type": "get", "id": "alive", "to": asked],
            [XMLElement("ping", Namespaces.ping)])
        ping["from"] = domain
        post(ping)
    }

    private func enqueue(_ text: String, onlyOpen: Bool) {
        state.withLock { state in
            guard let outgoing = state.outgoing, state.isOpen || !onlyOpen else { return }
            state.backlog += text.utf8.count
            guard state.backlog <= Self.backlogMaximum else {
                state.outgoing = nil
                return outgoing.finish()
            }
            outgoing.yield(text)
        }
    }
}
