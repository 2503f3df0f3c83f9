public import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A WebSocket to a room's server while `session` runs. RFC 6455, text messages only.
public enum WebSocketClient {
    public struct Writer: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

        public func send(_ text: String) async throws {
            try await outbound.write(
                WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text)))
        }

        /// - Parameter code: RFC 6455 sect. 7.4, or the protocol's own.
        public func close(code: UInt16 = 1000) async throws {
            var data = ByteBuffer()
            data.writeInteger(code)
            try await outbound.write(
                WebSocketFrame(
                    fin: true, opcode: .connectionClose, maskKey: .random(), data: data))
        }
    }

    private enum Upgrade: Sendable {
        case accepted(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>)
        /// The future gives the response's status.
        case refused(EventLoopFuture<HTTPResponseStatus>)
    }

    /// Connects, then runs `session` with a writer and `received` with each text message. Returns
    /// when either side closes. Throws the connection's or `received`'s error, `.unreachable` if
    /// the server, or a proxy in front of it, cannot accept the socket now, and
    /// `.protocolViolation` if it refuses it.
    ///
    /// - Parameter bytesMaximum: the largest accepted message.
    public static func run(
        url: WebSocketURL, bytesMaximum: Int, group: any EventLoopGroup,
        session: @escaping @Sendable (Writer) async throws -> Void,
        received: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        let upgrade = try await connect(url, bytesMaximum, group: group)
        let channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
        switch upgrade {
        case .accepted(let accepted): channel = accepted
        case .refused(let status): throw refusal(try await status.get())
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

    private static func refusal(_ status: HTTPResponseStatus) -> RoomEnd {
        RoomEnd.mayPass(status: status.code)
            ? .unreachable("the WebSocket was answered with \(status)")
            : .protocolViolation("the server refused the WebSocket with \(status)")
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
                try await outbound.write(
                    WebSocketFrame(
                        fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData))
            case .connectionClose:
                return
            default:
                continue
            }
        }
    }

    private static func connect(
        _ url: WebSocketURL, _ bytesMaximum: Int, group: any EventLoopGroup
    ) async throws -> Upgrade {
        let tls = url.isSecure ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
        let (channel, upgrade) = try await ClientBootstrap(group: group)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: url.host, port: url.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: url.serverName))
                    }
                    return (channel, try configure(channel, url, bytesMaximum))
                }
            }
        return try await withTaskCancellationHandler {
            try await upgrade.get()
        } onCancel: {
            // Otherwise a server that accepts connections but never answers would block this for
            // ever.
            channel.close(promise: nil)
        }
    }

    private static func configure(
        _ channel: any Channel, _ url: WebSocketURL, _ bytesMaximum: Int
    ) throws -> EventLoopFuture<Upgrade> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(
            maxFrameSize: bytesMaximum
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                        maxAccumulatedFrameSize: bytesMaximum))
                return .accepted(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
            }
        }
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: url.authority)
        headers.add(name: "Content-Length", value: "0")
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(
                version: .http1_1, method: .GET, uri: url.target, headers: headers),
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                // The handler passes the response's status on.
                let status = channel.eventLoop.makePromise(of: HTTPResponseStatus.self)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(StatusReader(status))
                    return .refused(status.futureResult)
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
}

/// Reads the status of one HTTP response, then closes the connection.
private final class StatusReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let status: EventLoopPromise<HTTPResponseStatus>

    init(_ status: EventLoopPromise<HTTPResponseStatus>) { self.status = status }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        status.succeed(head.status)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        status.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
