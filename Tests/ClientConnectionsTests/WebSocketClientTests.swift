import MediaKernel
import NIOCore
import NIOPosix
import Testing

@testable import ClientConnections

@Suite(.timeLimit(.minutes(1))) struct WebSocketClientTests {
    /// Answers whatever comes.
    private final class Refuser: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = ByteBuffer(string: "HTTP/1.1 418 Other\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }

    /// An address that was checked must be the one that is connected to: a name may lead elsewhere
    /// the next time.
    @Test func anAddressStandsForTheName() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { $0.pipeline.addHandler(Refuser()) }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let url = try #require(WebSocketURL("ws://bridge.invalid:\(port)/", adding: []))
        let refusal = await #expect(throws: WebSocketRefusal.self) {
            try await WebSocketClient.run(
                url: url, at: TransportAddress(ipv4: 127, 0, 0, 1, port: 9), bytesMaximum: 1000,
                group: group, session: { _ in }, received: { _ in })
        }
        guard case .status(418, _)? = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        try await server.close()
    }
}
