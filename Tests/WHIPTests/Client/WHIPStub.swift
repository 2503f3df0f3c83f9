import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on loopback that answers as defined by a test and records its requests.
final class WHIPStub: Sendable {
    struct Request: Sendable {
        var method: HTTPMethod
        var path: String
        var headers: HTTPHeaders
        var body: String
    }

    struct Response: Sendable {
        var status: HTTPResponseStatus
        var headers: HTTPHeaders = [:]
        var body = ""
    }

    typealias Answer = @Sendable (Request) async throws -> Response

    private final class Asked: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let channel: any Channel
    private let asked: Asked

    var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/whip" }
    var requests: [Request] { asked.requests.withLock { $0 } }

    private init(channel: any Channel, asked: Asked) {
        self.channel = channel
        self.asked = asked
    }

    static func start(
        on group: any EventLoopGroup, answer: @escaping Answer
    ) async throws -> WHIPStub {
        let asked = Asked()
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        Answerer { request in
                            asked.requests.withLock { $0.append(request) }
                            return try await answer(request)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return WHIPStub(channel: channel, asked: asked)
    }

    func stop() async { try? await channel.close() }
}

private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let answer: WHIPStub.Answer
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(answer: @escaping WHIPStub.Answer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            let request = WHIPStub.Request(
                method: head.method, path: head.uri, headers: head.headers,
                body: String(buffer: body))
            Self.answer(request, by: answer, on: context.channel)
        }
    }

    private static func answer(
        _ request: WHIPStub.Request, by answer: @escaping WHIPStub.Answer, on channel: any Channel
    ) {
        Task {
            let failure = WHIPStub.Response(status: .internalServerError)
            write((try? await answer(request)) ?? failure, to: channel)
        }
    }

    private static func write(_ response: WHIPStub.Response, to channel: any Channel) {
        var headers = response.headers
        headers.add(name: "Content-Length", value: "\(response.body.utf8.count)")
        let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        let buffer = ByteBuffer(string: response.body)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }
}
