import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A server on loopback that a client finds by `GET /init`, and which then sends on its sockets
/// whatever a test orders.
final class SocketServer: Sendable {
    /// One socket of a client, from the server's side.
    struct Socket: Sendable {
        fileprivate let channel: any Channel
        private let inbound = AsyncStream.makeStream(of: String.self)

        fileprivate init(channel: any Channel) { self.channel = channel }

        fileprivate func received(_ text: String) { inbound.continuation.yield(text) }

        func send(_ text: String) {
            let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
            channel.writeAndFlush(frame, promise: nil)
        }

        /// The next frame that contains this text.
        func next(with text: String) async -> String? {
            await inbound.stream.first { $0.contains(text) }
        }

        func close() { channel.close(promise: nil) }
    }

    private let sockets = AsyncStream.makeStream(of: Socket.self)
    private let refusals = AsyncStream.makeStream(of: HTTPResponseStatus.self)
    /// The answers to WebSocket requests; the last one is repeated.
    private let plan = Mutex<[HTTPResponseStatus]>([.switchingProtocols])
    private let channels = Mutex<[any Channel]>([])

    /// - Parameter upgrades: whether it answers WebSocket requests; if not, it receives the request
    ///   and stays silent.
    static func start(
        on group: any EventLoopGroup, upgrades: Bool = true
    ) async throws -> SocketServer {
        let server = SocketServer()
        let sockets = server.sockets.continuation
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                let status = server.plan.withLock { plan in
                    plan.count > 1 ? plan.removeFirst() : plan[0]
                }
                guard status == .switchingProtocols else {
                    let refusals = server.refusals.continuation
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(
                            StubServer.Answerer(status: status, body: "") { _ in
                                refusals.yield(status)
                            })
                    }
                }
                guard upgrades else {
                    sockets.yield(Socket(channel: channel))
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                let upgrader = NIOWebSocketServerUpgrader(
                    shouldUpgrade: { channel, _ in
                        channel.eventLoop.makeSucceededFuture(HTTPHeaders())
                    },
                    upgradePipelineHandler: { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            let socket = Socket(channel: channel)
                            try channel.pipeline.syncOperations.addHandler(Reader(socket: socket))
                            sockets.yield(socket)
                        }
                    })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.channels.withLock { $0.append(listener) }
        return server
    }

    /// The answer to `GET /init`.
    var initBody: String {
        let port = channels.withLock { $0.first?.localAddress?.port } ?? 0
        return #"{"endpoint":"ws://127.0.0.1:\#(port)/ws"}"#
    }

    /// Like a proxy whose server is away.
    func answer(with plan: HTTPResponseStatus...) { self.plan.withLock { $0 = plan } }

    func nextRefusal() async -> HTTPResponseStatus? { await refusals.stream.first { _ in true } }

    func nextSocket() async -> Socket? { await sockets.stream.first { _ in true } }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame

        private let socket: Socket

        init(socket: Socket) { self.socket = socket }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            guard frame.opcode == .text else { return }
            socket.received(String(buffer: frame.unmaskedData))
        }
    }
}
