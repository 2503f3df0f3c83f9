public import MediaKernel
public import NIOCore
import NIOHTTP1
import NIOPosix
public import NIOWebSocket

/// A WebSocket to a server. RFC 6455, text messages only.
public enum WebSocketClient {
    public struct Writer: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

        public func send(_ text: String) async throws {
            try await outbound.write(WebSocketFrame(text: text))
        }

        /// - Parameter code: RFC 6455 sect. 7.4, or the protocol's own.
        public func close(code: UInt16 = 1000) async throws {
            try await outbound.write(WebSocketFrame(closing: code))
        }
    }

    private enum Upgrade<Accepted: Sendable>: Sendable {
        case accepted(Accepted)
        case refused(EventLoopFuture<WebSocketRefusal>)
    }

    /// For the TCP connection.
    private static let connectTimeout = TimeAmount.seconds(5)

    /// Connects, then runs `session` with a writer and `received` with each text message. Returns
    /// when either side closes. Throws the connection's or `received`'s error, or a
    /// `WebSocketRefusal`.
    ///
    /// - Parameters:
    ///   - address: where to connect to, at the URL's port; nil for wherever its host is found.
    ///   - bytesMaximum: the largest accepted message.
    ///   - tls: for a URL that is secure; nil for the authorities that this machine trusts.
    public static func run(
        url: WebSocketURL, at address: TransportAddress? = nil, bytesMaximum: Int,
        tls: TLSClient? = nil, group: any EventLoopGroup,
        session: @escaping @Sendable (Writer) async throws -> Void,
        received: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        let tls = url.isSecure ? try tls ?? TLSClient(.machine) : nil
        let channel = try await connect(
            url: url, at: address, bytesMaximum: bytesMaximum, tls: tls, on: group
        ) { channel in
            try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(
                wrappingChannelSynchronously: channel)
        }
        try await channel.executeThenClose { inbound, outbound in
            let writer = Writer(outbound: outbound)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await session(writer) }
                group.addTask { try await read(inbound, outbound, received) }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Connects, and prepares the socket by `accepted`, on its loop. Its frames are whole messages,
    /// or control frames. Throws the connection's error, or a `WebSocketRefusal`.
    ///
    /// - Parameters:
    ///   - address: where to connect to, at the URL's port; nil for wherever its host is found.
    ///   - subprotocol: what the server must speak, if anything.
    ///   - tls: for a URL that is secure.
    public static func connect<Accepted: Sendable>(
        url: WebSocketURL, at address: TransportAddress? = nil, subprotocol: String? = nil,
        bytesMaximum: Int, tls: TLSClient?, on group: any EventLoopGroup,
        accepted: @escaping @Sendable (any Channel) throws -> Accepted
    ) async throws -> Accepted {
        let (channel, upgrade) = try await ClientBootstrap(group: group)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: address?.host ?? url.host, port: url.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(tls.handler(for: url.host))
                    }
                    return (
                        channel, try configure(channel, url, subprotocol, bytesMaximum, accepted)
                    )
                }
            }
        let outcome = try await withTaskCancellationHandler {
            try await upgrade.get()
        } onCancel: {
            // Otherwise a server that accepts connections but never answers would block this for
            // ever.
            channel.close(promise: nil)
        }
        switch outcome {
        case .accepted(let accepted): return accepted
        case .refused(let refusal): throw try await refusal.get()
        }
    }

    private static func read(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ received: @Sendable (String) async throws -> Void
    ) async throws {
        for try await frame in inbound {
            switch frame.opcode {
            case .text:
                try await received(String(buffer: frame.unmaskedData))
            case .ping:
                try await outbound.write(WebSocketFrame(answering: frame))
            case .connectionClose:
                return
            default:
                continue
            }
        }
    }

    private static func configure<Accepted: Sendable>(
        _ channel: any Channel, _ url: WebSocketURL, _ subprotocol: String?, _ bytesMaximum: Int,
        _ accepted: @escaping @Sendable (any Channel) throws -> Accepted
    ) throws -> EventLoopFuture<Upgrade<Accepted>> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade<Accepted>>(
            maxFrameSize: bytesMaximum
        ) { channel, response in
            channel.eventLoop.makeCompletedFuture {
                let spoken = response.headers.first(name: subprotocolField)
                guard spoken == subprotocol else { throw WebSocketRefusal.subprotocol(spoken) }
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                        maxAccumulatedFrameSize: bytesMaximum))
                return .accepted(try accepted(channel))
            }
        }
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: url.authority)
        headers.add(name: "Content-Length", value: "0")
        if let subprotocol { headers.add(name: subprotocolField, value: subprotocol) }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(
                version: .http1_1, method: .GET, uri: url.target, headers: headers),
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                // The handler passes the response's status on.
                let refusal = channel.eventLoop.makePromise(of: WebSocketRefusal.self)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(StatusReader(refusal))
                    return .refused(refusal.futureResult)
                }
            })
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: configuration)
        // The server speaks first: its first message may arrive in the same read as its response,
        // and would be dropped with the HTTP decoder.
        pipeline.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: pipeline)
    }

    private static let subprotocolField = "Sec-WebSocket-Protocol"
}

extension WebSocketFrame {
    /// A message of a client.
    public init(text: String) {
        self.init(
            fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
    }

    /// - Parameter code: RFC 6455 sect. 7.4, or the protocol's own.
    public init(closing code: UInt16) {
        var data = ByteBuffer()
        data.writeInteger(code)
        self.init(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
    }

    /// A client's answer to a ping.
    public init(answering ping: WebSocketFrame) {
        self.init(fin: true, opcode: .pong, maskKey: .random(), data: ping.unmaskedData)
    }
}

/// Reads the status of one HTTP response, then closes the connection.
private final class StatusReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let refusal: EventLoopPromise<WebSocketRefusal>

    init(_ refusal: EventLoopPromise<WebSocketRefusal>) { self.refusal = refusal }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        refusal.succeed(.status(code: head.status.code, reason: head.status.reasonPhrase))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        refusal.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
