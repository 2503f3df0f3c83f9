import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import ControlAPI

@Suite struct WebSocketGuardTests {
    private let loop = EmbeddedEventLoop()

    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: WebSocketGuard(), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    /// No frame arrived during the ping interval, which a NIO handler measures.
    private func pass(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.read)
    }

    private func opcodes(_ channel: EmbeddedChannel) throws -> [WebSocketOpcode] {
        var opcodes: [WebSocketOpcode] = []
        while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
            opcodes.append(frame.opcode)
        }
        return opcodes
    }

    /// It is pinged after 20 and 40 s, and counts as dead after 60.
    @Test func whoSaysNothingIsPingedTwiceAndLeftAfterAMinute() throws {
        #expect(WebSocketGuard.pingAfter == .seconds(20))
        let channel = try channel()
        for _ in 0..<2 {
            pass(channel)
            #expect(try opcodes(channel) == [.ping])
            #expect(channel.isActive)
        }
        pass(channel)
        #expect(try opcodes(channel) == [])
        #expect(!channel.isActive)
    }

    @Test func whoSaysAnythingNowAndThenIsAlive() throws {
        let channel = try channel()
        for _ in 0..<20 {
            pass(channel)
            pass(channel)
            #expect(try opcodes(channel) == [.ping, .ping])
            try channel.writeInbound(
                WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer()))
            #expect(channel.isActive)
        }
        for _ in 0..<3 { pass(channel) }
        #expect(!channel.isActive)
    }

    /// The server does not wait for a client that ignores its close frame.
    @Test func aClosingHandshakeTakesThreeSecondsAtMost() throws {
        let channel = try channel()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(try opcodes(channel) == [.connectionClose])
        loop.advanceTime(by: .milliseconds(2999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }
}
