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

    // MARK: - Clients that send on after the close frame

    private func closingChannel() throws -> (EmbeddedChannel, ReadCount) {
        let reads = ReadCount()
        let channel = EmbeddedChannel(handlers: [reads, WebSocketGuard()], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        return (channel, reads)
    }

    /// Frames that were under way do no harm; then TCP makes the client wait.
    @Test func whoSendsOnWithoutEndIsNoLongerRead() throws {
        let (channel, reads) = try closingChannel()
        for _ in 0..<WebSocketGuard.lateFramesMaximum {
            try channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer()))
        }
        let before = reads.count
        channel.read()
        #expect(reads.count == before + 1)
        try channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer()))
        channel.read()
        #expect(reads.count == before + 1)
        #expect(channel.isActive)
        loop.advanceTime(by: WebSocketGuard.closeTimeout)
        #expect(!channel.isActive)
    }

    /// Those with wrong bits, and fragments beyond the most of a message, arrive as errors.
    @Test func violationsCountAsFrames() throws {
        let (channel, reads) = try closingChannel()
        for _ in 0...WebSocketGuard.lateFramesMaximum {
            channel.pipeline.fireErrorCaught(WebSocketGuard.Violation.forbiddenFrame)
        }
        let before = reads.count
        channel.read()
        #expect(reads.count == before)
    }

    // MARK: - Clients that do not read

    private func busyChannel() throws -> (EmbeddedChannel, Congestion) {
        let way = Congestion()
        let channel = EmbeddedChannel(handlers: [way, WebSocketGuard()], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, way)
    }

    private func send(_ count: Int, over channel: EmbeddedChannel) {
        for _ in 0..<count {
            channel.writeAndFlush(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "hello")),
                promise: nil)
        }
    }

    @Test func whoReadsNothingForHalfAMinuteIsLeft() throws {
        let (channel, _) = try busyChannel()
        send(2, over: channel)
        loop.advanceTime(by: .milliseconds(29_999))
        // It is not the frames that are counted, and not the client's own: it may talk on.
        try channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer()))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func whoReadsSlowlyStays() throws {
        let (channel, way) = try busyChannel()
        send(1, over: channel)
        for _ in 0..<10 {
            loop.advanceTime(by: .seconds(20))
            send(1, over: channel)
            way.take()
            #expect(channel.isActive)
        }
        way.take()
        loop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        // The oldest frame counts, however long nothing was to be written before it.
        send(1, over: channel)
        loop.advanceTime(by: .milliseconds(29_999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }
}

/// A connection whose other end takes a frame only when the test says so.
private final class Congestion: ChannelOutboundHandler {
    typealias OutboundIn = WebSocketFrame

    private var waiting: [EventLoopPromise<Void>] = []

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        if let promise { waiting.append(promise) }
    }

    func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
        context.close(mode: mode, promise: promise)
    }

    func take() { waiting.removeFirst().succeed() }
}

/// Counts how often the connection is asked for what the client has sent.
private final class ReadCount: ChannelOutboundHandler {
    typealias OutboundIn = WebSocketFrame

    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
