import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on loopback that gives one answer to all requests and records them.
final class StubServer: Sendable {
    private let channel: any Channel
    private let asked: Asked

    private final class Asked: Sendable {
        let heads = Mutex<[HTTPRequestHead]>([])
    }

    static func start(
        on group: any EventLoopGroup, status: HTTPResponseStatus, body: String
    ) async throws -> StubServer {
        let asked = Asked()
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        Answerer(status: status, body: body) { head in
                            asked.heads.withLock { $0.append(head) }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return StubServer(channel: channel, asked: asked)
    }

    private init(channel: any Channel, asked: Asked) {
        self.channel = channel
        self.asked = asked
    }

    var endpoint: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
    var requests: [HTTPRequestHead] { asked.heads.withLock { $0 } }
    func stop() async throws { try await channel.close() }

    final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let status: HTTPResponseStatus
        private let body: String
        private let note: (HTTPRequestHead) -> Void

        init(status: HTTPResponseStatus, body: String, note: @escaping (HTTPRequestHead) -> Void) {
            self.status = status
            self.body = body
            self.note = note
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): note(head)
            case .body: break
            case .end:
                let headers: HTTPHeaders = ["Content-Length": String(body.utf8.count)]
                let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                let buffer = context.channel.allocator.buffer(string: body)
                context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
