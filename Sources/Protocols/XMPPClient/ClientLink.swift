import ClientConnections
import Clocks
import MediaKernel
import NIOCore
import NIOPosix
import NIOWebSocket
import XML
import XMPP

/// The loop's side of a client: does what its session orders. Only its event loop touches it.
final class ClientLink {
    typealias Source = XMPPClient.Events.Source

    /// Of stanzas that wait for the connection, in bytes.
    static let backlogMaximum = 1 << 20

    private let endpoint: Endpoint
    private let domain: String
    private let tls: TLSClient
    private let loop: any EventLoop
    private let connectTimeout: TimeAmount
    var source: Source?
    private var session: ClientSession
    private var channel: (any Channel)?
    /// Tells this connection from earlier ones, which may fail late.
    private var attempt = 0
    private var dialling: Task<Void, Never>?
    private var ended: EventLoopPromise<ConnectionEnd>?
    private var waiting: [String: EventLoopPromise<Result<XMLElement?, RequestFailure>>] = [:]
    private var backlog = 0
    private var timer: (at: Instant, scheduled: Scheduled<Void>)?
    private var isDraining = false

    init(
        _ settings: ClientSettings, _ endpoint: Endpoint, _ tls: TLSClient, _ loop: any EventLoop
    ) {
        (self.endpoint, self.tls, self.loop) = (endpoint, tls, loop)
        domain = settings.domain
        connectTimeout = TimeAmount(settings.times.phase)
        session = ClientSession(settings)
    }

    // MARK: Life

    func run() -> EventLoopFuture<ConnectionEnd> {
        guard ended == nil else { return loop.makeSucceededFuture(.left) }
        let ended = loop.makePromise(of: ConnectionEnd.self)
        self.ended = ended
        attempt += 1
        session.reads(true, at: MonotonicClock.now)
        session.connecting(at: MonotonicClock.now)
        switch endpoint {
        case .tcp(let host, let port): dial(host, port)
        case .webSocket(let url): dial(url)
        }
        drain()
        return ended.futureResult
    }

    func cancel() { finish(session.disconnected(.left)) }

    func leave() {
        session.leave(at: MonotonicClock.now)
        drain()
    }

    private func dial(_ host: String, _ port: Int) {
        let mark = attempt
        let link = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        StreamOfBytes(link.value, mark))
                }
            }
            .connect(host: host, port: port)
            .whenFailure { error in link.value.failed(error, mark) }
    }

    private func dial(_ url: WebSocketURL) {
        let mark = attempt
        let link = NIOLoopBound(self, eventLoop: loop)
        let (loop, tls) = (loop, url.isSecure ? tls : nil)
        dialling = Task {
            do {
                let channel = try await WebSocketClient.connect(
                    url: url, subprotocol: "xmpp", bytesMaximum: XMLLimits().stanzaBytes, tls: tls,
                    on: loop
                ) { channel in
                    try channel.pipeline.syncOperations.addHandler(
                        StreamOfMessages(link.value, mark))
                    return channel
                }
                loop.execute {
                    link.value.connected(channel, mark, .webSocket, isEncrypted: url.isSecure)
                }
            } catch {
                loop.execute { link.value.failed(error, mark) }
            }
        }
    }

    // MARK: The connection

    /// - Returns: whether this is the connection: of several addresses one is enough.
    @discardableResult
    func connected(
        _ channel: any Channel, _ mark: Int, _ carrier: StreamSettings.Carrier, isEncrypted: Bool
    ) -> Bool {
        guard mark == attempt, ended != nil, self.channel == nil else {
            channel.close(promise: nil)
            return false
        }
        self.channel = channel
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<3).map { _ in String(random.next(), radix: 36) }.joined()
        session.connected(
            by: carrier, isLocal: Self.isLocal(channel.remoteAddress), isEncrypted: isEncrypted,
            nonce: nonce, at: MonotonicClock.now)
        drain()
        return true
    }

    func received(_ bytes: ByteBufferView, _ mark: Int) {
        guard mark == attempt else { return }
        session.received(bytes, at: MonotonicClock.now)
        drain()
    }

    func received(message: String, _ mark: Int) {
        guard mark == attempt else { return }
        session.received(message: message, at: MonotonicClock.now)
        drain()
    }

    func secured(_ mark: Int) {
        guard mark == attempt else { return }
        session.secured(at: MonotonicClock.now)
        drain()
    }

    /// The connection broke, or there was none.
    func failed(_ error: any Error, _ mark: Int) {
        guard mark == attempt, ended != nil else { return }
        let words = ConnectionFault.words(error)
        let end: ConnectionEnd =
            ConnectionFault.isDistrust(error)
            ? .untrusted(words) : channel == nil ? .unreachable(words) : .lost(words)
        finish(session.disconnected(end))
    }

    private func finish(_ end: ConnectionEnd) {
        guard let ended else { return }
        (self.ended, attempt) = (nil, attempt + 1)
        dialling?.cancel()
        dialling = nil
        channel?.flush()
        channel?.close(promise: nil)
        (channel, backlog) = (nil, 0)
        drain()
        ended.succeed(end)
    }

    private static func isLocal(_ address: SocketAddress?) -> Bool {
        guard let address else { return false }
        guard let ip = address.ipAddress else { return true }
        return TransportAddress(ip, port: 0)?.isLoopback == true
    }

    // MARK: Wishes

    func wish(
        _ wish: (inout ClientSession, Instant) throws(RequestFailure) -> Void
    ) -> Result<Void, RequestFailure> {
        defer { drain() }
        do throws(RequestFailure) {
            try wish(&session, MonotonicClock.now)
            return .success(())
        } catch { return .failure(error) }
    }

    func ask(
        _ kind: Request.Kind, _ payload: XMLElement, to: JID?, within timeout: Duration,
        _ answer: EventLoopPromise<Result<XMLElement?, RequestFailure>>
    ) {
        do throws(RequestFailure) {
            let deadline = MonotonicClock.now + timeout
            waiting[try session.ask(kind, payload, to: to, until: deadline)] = answer
        } catch { answer.succeed(.failure(error)) }
        drain()
    }

    // MARK: Orders

    private func drain() {
        // What an order calls back only adds orders.
        guard !isDraining else { return }
        isDraining = true
        while let order = session.poll() { obey(order) }
        isDraining = false
        channel?.flush()
        if backlog > Self.backlogMaximum {
            session.overrun()
            return drain()
        }
        keepTime()
    }

    private func obey(_ order: ClientOrder) {
        switch order {
        case .send(let text): write(text)
        case .startTLS: startTLS()
        case .event(let event):
            if case .stopProducing = source?.yield(event) { reads(false) }
        case .answered(let id, let outcome): waiting.removeValue(forKey: id)?.succeed(outcome)
        case .end(let end): finish(end)
        }
    }

    private func write(_ text: String) {
        guard let channel else { return }
        let count = text.utf8.count
        backlog += count
        let written = loop.makePromise(of: Void.self)
        let (link, mark) = (NIOLoopBound(self, eventLoop: loop), attempt)
        written.futureResult.whenComplete { _ in
            if link.value.attempt == mark { link.value.backlog -= count }
        }
        switch endpoint {
        case .tcp: channel.write(ByteBuffer(string: text), promise: written)
        case .webSocket: channel.write(WebSocketFrame(text: text), promise: written)
        }
    }

    /// At once: the server's next bytes are TLS.
    private func startTLS() {
        guard let channel else { return }
        do {
            try channel.pipeline.syncOperations.addHandler(
                tls.handler(for: domain), position: .first)
        } catch { failed(error, attempt) }
    }

    func reads(_ isReading: Bool) {
        session.reads(isReading, at: MonotonicClock.now)
        channel?.setOption(.autoRead, value: isReading).whenFailure { _ in }
        if !isDraining { keepTime() }
    }

    private func keepTime() {
        guard let next = session.nextDeadline else { return }
        // An early look costs less than a new timer for each stanza.
        if let timer, timer.at <= next { return }
        timer?.scheduled.cancel()
        let wait = max(.zero, next - MonotonicClock.now)
        let link = NIOLoopBound(self, eventLoop: loop)
        timer = (
            next,
            loop.scheduleTask(in: TimeAmount(wait)) {
                link.value.timer = nil
                link.value.session.handleTimeout(at: MonotonicClock.now)
                link.value.drain()
            }
        )
    }
}
