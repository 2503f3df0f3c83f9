import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import ControlAPI

@Suite struct HTTPConnectionGuardTests {
    private let loop = EmbeddedEventLoop()

    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: HTTPConnectionGuard(), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func head(
        _ headers: HTTPHeaders = [:], version: HTTPVersion = .http1_1
    ) -> HTTPServerRequestPart {
        .head(HTTPRequestHead(version: version, method: .GET, uri: "/", headers: headers))
    }

    @Test func aRequestWhoseBodyTricklesInIsCutOff() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        for _ in 0..<3 {
            loop.advanceTime(by: .seconds(20))
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "x")))
        }
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(15))
        #expect(!channel.isActive)
    }

    @Test func anAnswerMayTakeItsTime() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test func whoTakesNothingOfAnAnswerIsCutOff() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        for _ in 0..<3 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .minutes(4))
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .minutes(4))
        }
        #expect(channel.isActive, "who takes some now and then goes on")
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .minutes(5))
        #expect(!channel.isActive)
    }

    @Test func aServerThatStopsDoesNotWaitForDownloads() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        loop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    /// A client that reads slowly: nothing is sent until it reads.
    private final class SlowReader: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private var unsent: [(NIOAny, EventLoopPromise<Void>?)] = []

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            unsent.append((data, promise))
        }

        func read(_ channel: EmbeddedChannel) throws {
            let context = try channel.pipeline.syncOperations.context(handler: self)
            for (data, promise) in unsent { context.write(data, promise: promise) }
            unsent = []
            context.flush()
        }
    }

    /// Writes an answer, after which the routes close the connection.
    private func stopping(_ reader: SlowReader) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(
            handlers: [reader, HTTPConnectionGuard()], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        for part in [
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)),
            .body(.byteBuffer(ByteBuffer(string: "the last bytes"))), .end(nil),
        ] {
            channel.writeAndFlush(part, promise: nil)
        }
        channel.close(promise: nil)
        return channel
    }

    @Test func aServerThatStopsSendsWhatItHasAnswered() throws {
        let reader = SlowReader()
        let channel = try stopping(reader)
        loop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        try reader.read(channel)
        loop.run()
        #expect(!channel.isActive)
        var parts: [HTTPServerResponsePart] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            parts.append(part)
        }
        #expect(parts.contains(.body(.byteBuffer(ByteBuffer(string: "the last bytes")))))
    }

    @Test func aServerThatStopsDoesNotWaitForWhoReadsNothing() throws {
        let channel = try stopping(SlowReader())
        loop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test(
        arguments: [
            (["connection": "keep-alive"], HTTPVersion.http1_1, "keep-alive"),
            (["connection": "Close"], .http1_1, "close"),
            (["connection": "TE, close"], .http1_1, "close"),
            (["connection": "keep-alive", "expect": "100-continue"], .http1_1, "keep-alive"),
            (["expect": "100-Continue", "content-length": "9"], .http1_1, "close"),
            ([:], .http1_0, "close"), (["connection": "keep-alive"], .http1_0, "close"),
            (["connection": "Upgrade", "upgrade": "h2c"], .http1_1, "close"),
            (["connection": "Upgrade", "upgrade": "websocket"], .http1_1, "close"),
            (
                [
                    "connection": "upgrade\t", "upgrade": "websocket",
                    "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
                ], .http1_1, "close"
            ),
        ] as [(HTTPHeaders, HTTPVersion, String)])
    func theLastRequestOfAConnectionIsKnown(
        headers: HTTPHeaders, version: HTTPVersion, connection: String
    ) throws {
        let channel = try channel()
        try channel.writeInbound(head(headers, version: version))
        guard case .head(let seen) = try channel.readInbound(as: HTTPServerRequestPart.self)
        else {
            Issue.record("no head")
            return
        }
        #expect(seen.headers["connection"] == [connection])
        #expect(!seen.headers.contains(name: "upgrade"))
        _ = try channel.finish()
    }

    @Test func aWishForASocketInDueFormStaysAndIsTheConnectionsLast() throws {
        let channel = try channel()
        try channel.writeInbound(head())
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        _ = try channel.readInbound(as: HTTPServerRequestPart.self)
        _ = try channel.readInbound(as: HTTPServerRequestPart.self)
        try channel.writeInbound(
            head([
                "connection": "keep-alive, Upgrade", "upgrade": "WebSocket",
                "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
            ]))
        guard case .head(let seen) = try channel.readInbound(as: HTTPServerRequestPart.self)
        else {
            Issue.record("no head")
            return
        }
        #expect(seen.headers["connection"] == ["close"])
        #expect(seen.headers["upgrade"] == ["WebSocket"])
        _ = try channel.finish()
    }

    @Test func aConnectionThatNeverAsksIsCutOff() throws {
        let channel = try channel()
        loop.advanceTime(by: .seconds(74))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
