import Foundation
import HummingbirdTesting
import Logging
import MediaKernel
import NIOCore
import NIOEmbedded
import Rooms
import Synchronization
import Testing

@testable import ControlAPI

@Suite(.timeLimit(.minutes(5))) struct WebSocketTests {
    /// Runs a conversation on a connection to a live server.
    private func converse(
        _ body:
            @escaping @Sendable (inout RawClient.Conversation, String, TestWorld) async throws
            -> Void
    ) async throws {
        let world = try await TestWorld()
        let path = "/ws?peer=p1&token=\(try await world.roomToken())&protocol_version=2.5"
        try await world.live { client in
            try await RawClient.connect(port: client.port ?? 0) { conversation in
                try await body(&conversation, path, world)
            }
        }
    }

    @Test func aSocketWithAGoodTokenIsOpened() async throws {
        try await converse { client, path, world in
            let answer = try await client.upgrade(path)
            #expect(answer.hasPrefix("HTTP/1.1 101"))
            // The key and its answer of RFC 6455 sect. 1.3.
            #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            try await client.send(RawClient.text("one") + RawClient.text("two"))
            #expect(try await client.frame()?.payload == Array("echo one".utf8))
            #expect(try await client.frame()?.payload == Array("echo two".utf8))
            try await client.send(RawClient.frame(8, [0x03, 0xe8]))
            #expect(try await client.closeCode() == 1000)
            #expect(try await client.frame() == nil)
            #expect(world.gateway.state.withLock { $0.opened } == ["p1"])
        }
    }

    @Test func theClientDescribesItself() async throws {
        try await converse { client, path, world in
            _ = try await client.upgrade(path + "&user_agent_v2=os%3Aandroid%2Csdk%3Aandroid")
            try await client.send(RawClient.text("one"))
            _ = try await client.frame()
            #expect(world.gateway.state.withLock { $0.userAgents } == ["os:android,sdk:android"])
        }
    }

    @Test func theDoorHearsByWhichNameTheClientCame() async throws {
        try await converse { client, path, world in
            _ = try await client.upgrade(path)
            try await client.send(RawClient.text("one"))
            _ = try await client.frame()
            #expect(world.gateway.state.withLock { $0.authorities } == ["rooms.test:8443"])
        }
    }

    @Test func theSessionEndsWithTheConnection() async throws {
        let world = try await TestWorld()
        let path = "/ws?peer=p1&token=\(try await world.roomToken())"
        try await world.live { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                #expect(try await client.upgrade(path).hasPrefix("HTTP/1.1 101"))
                try await client.send(RawClient.text("x"))
                _ = try await client.frame()
            }
        }
        // By now the server has stopped, and all sessions with it.
        #expect(world.gateway.state.withLock { $0.closed } == ["p1"])
    }

    @Test func aRefusedSocketIsAnAnswerInJSON() async throws {
        try await converse { client, path, world in
            let noToken = try await client.upgrade("/ws?peer=p1")
            #expect(noToken.hasPrefix("HTTP/1.1 401"))
            #expect(noToken.contains(#"{"code":40100,"details":[],"message":"token is missing""#))
            #expect(noToken.lowercased().contains("connection: close"))
            #expect(try await client.response().isEmpty)
            #expect(world.gateway.state.withLock { $0.opened.isEmpty })
        }
    }

    @Test func aSocketElsewhereIsNotFound() async throws {
        try await converse { client, _, _ in
            let answer = try await client.upgrade("/elsewhere")
            #expect(answer.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test func aRequestForHTTP2IsAnsweredInHTTP1() async throws {
        try await converse { client, _, _ in
            try await client.send(
                "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                    + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.contains(#""status":"ok""#))
            #expect(try await client.response().isEmpty)
        }
    }

    /// Proxies reuse existing connections for it.
    @Test func aSocketIsOpenedOnAConnectionThatWasUsed() async throws {
        try await converse { client, path, world in
            for _ in 0..<2 {
                try await client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
            }
            let answer = try await client.upgrade(path)
            #expect(answer.hasPrefix("HTTP/1.1 101"))
            #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            try await client.send(RawClient.text("one"))
            #expect(try await client.frame()?.payload == Array("echo one".utf8))
            #expect(world.gateway.state.withLock { $0.opened } == ["p1"])
        }
    }

    /// Earlier requests are answered first, and the bytes after the request are frames.
    @Test func allThatComesAtOnceIsTakenInItsOrder() async throws {
        try await converse { client, path, _ in
            let before = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await client.send(
                Array((before + before + RawClient.handshake(path)).utf8)
                    + RawClient.text("one") + RawClient.text("two"))
            for status in ["200", "200", "101"] {
                #expect(try await client.response().hasPrefix("HTTP/1.1 \(status)"))
            }
            #expect(try await client.frame()?.payload == Array("echo one".utf8))
            #expect(try await client.frame()?.payload == Array("echo two".utf8))
        }
    }

    @Test func aSocketIsRefusedOnAConnectionThatWasUsedAsOnANewOne() async throws {
        try await converse { client, path, world in
            try await client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
            let answer = try await client.upgrade("/ws?peer=p1")
            #expect(answer.hasPrefix("HTTP/1.1 401"))
            #expect(answer.contains(#"{"code":40100,"details":[],"message":"token is missing""#))
            #expect(answer.lowercased().contains("connection: close"))
            #expect(try await client.response().isEmpty)
            #expect(world.gateway.state.withLock { $0.opened.isEmpty })
        }
    }

    @Test func whoSendsALotBeforeTheAnswerIsDropped() async throws {
        let world = try await TestWorld()
        let channel = NIOAsyncTestingChannel()
        _ = try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let connection = WebSocketChannel(
            responder: { _, _, _ in },
            limiter: ConnectionLimiter(maximum: 1, logger: Logger(label: "test")), isTLS: false,
            edge: {
                EdgeHandler(
                    origin: Origin(
                        root: "", census: ViewerCensus(clock: { .zero }), key: world.playbackKey,
                        clock: { TestWorld.now }),
                    hosts: .any, writer: $0)
            },
            decide: { _, _ in nil })
        let value = try await channel.eventLoop.flatSubmit {
            connection.setup(channel: channel, logger: Logger(label: "test"))
        }.get()
        try await channel.writeInbound(ByteBuffer(string: RawClient.handshake("/ws")))
        let half = ByteBuffer(repeating: 0x61, count: WebSocketChannel.unparsedBytesMaximum / 2)
        for _ in 0..<2 { try await channel.writeInbound(half) }
        #expect(channel.isActive)
        _ = try? await channel.writeInbound(half)
        #expect(!channel.isActive)
        await connection.handle(value: value, logger: Logger(label: "test"))
    }

    @Test(arguments: [
        "/health", "/hls/demo/none/master.m3u8", "/recordings/none/a.mp4", "/v2/rooms",
    ])
    func anAnswerToHEADHasNoBody(path: String) async throws {
        try await converse { client, _, _ in
            try await client.send(
                "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.hasPrefix(path == "/health" ? "HTTP/1.1 200" : "HTTP/1.1 40"))
            #expect(answer.hasSuffix("\r\n\r\n"), "\(answer)")
        }
    }

    @Test(arguments: [
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n",
        "Upgrade: websocket\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 1\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
        "",
    ])
    func anIncompleteHandshakeIsToldWhatIsMissing(headers: String) async throws {
        try await converse { client, path, _ in
            try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
            let answer = try await client.response()
            #expect(answer.hasPrefix("HTTP/1.1 426"))
            #expect(answer.contains("this is a WebSocket endpoint"))
        }
    }

    @Test func aPingIsAnsweredWithItsData() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            try await client.send(RawClient.frame(9, [1, 2, 3]))
            let frame = try await client.frame()
            #expect(frame?.opcode == 10)
            #expect(frame?.payload == [1, 2, 3])
        }
    }

    @Test func fragmentsAreOneMessage() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            try await client.send(
                RawClient.frame(1, Array("ab".utf8), fin: false)
                    + RawClient.frame(9, []) + RawClient.frame(0, Array("cd".utf8)))
            #expect(try await client.frame()?.opcode == 10)
            #expect(try await client.frame()?.payload == Array("echo abcd".utf8))
        }
    }

    @Test func aMessageOfTheGreatestLengthPasses() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            let text = String(repeating: "m", count: Limits.messageBytes)
            try await client.send(RawClient.text(text))
            #expect(try await client.frame()?.payload.count == Limits.messageBytes + 5)
        }
    }

    @Test func aLongerMessageClosesWith1009() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            try await client.send(
                RawClient.text(String(repeating: "m", count: Limits.messageBytes + 1)))
            #expect(try await client.closeCode() == 1009)
        }
    }

    @Test func fragmentsThatAddUpToMoreCloseWith1009() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            let half = [UInt8](repeating: 0x6d, count: Limits.messageBytes / 2 + 1)
            try await client.send(
                RawClient.frame(1, half, fin: false) + RawClient.frame(0, half))
            #expect(try await client.closeCode() == 1009)
        }
    }

    @Test func tooManyFragmentsCloseWith1009() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            var bytes = RawClient.frame(1, [0x61], fin: false)
            for _ in 0..<Limits.messageFragments {
                bytes += RawClient.frame(0, [0x61], fin: false)
            }
            try await client.send(bytes)
            #expect(try await client.closeCode() == 1009)
        }
    }

    @Test(arguments: [
        (RawClient.frame(1, [0x61], masked: false), 1002),
        (RawClient.frame(1, [0x61], reserved: 4), 1002),
        (RawClient.frame(0, [0x61]), 1002),
        (RawClient.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
        (RawClient.frame(1, [0xff, 0xfe]), 1007),
        (RawClient.frame(2, [1]), 1003),
        (RawClient.text("close"), 4001),
    ])
    func aViolationClosesWithItsCode(bytes: [UInt8], code: Int) async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            try await client.send(bytes)
            #expect(try await client.closeCode() == code)
        }
    }

    @Test func aMessageIsWithItsSenderUntilItIsWritten() async {
        let connection = WebSocketConnection { _ in }
        async let first = connection.send("1")
        for await item in connection.outgoing {
            guard case .text("1") = item else {
                Issue.record("\(item)")
                return
            }
            break
        }
        connection.written()
        #expect(await first)
        async let second = connection.send("2")
        for await _ in connection.outgoing { break }
        connection.disconnected()
        #expect(await second == false)
        #expect(await connection.send("3") == false, "the connection is gone")
    }

    /// RFC 6455 sect. 5.5.3: of several waiting pings the newest is answered.
    @Test func pongsDoNotPileUp() async {
        let connection = WebSocketConnection { _ in }
        for number in 0..<1000 { connection.pong(ByteBuffer(integer: number)) }
        connection.close()
        var items = 0
        for await _ in connection.outgoing { items += 1 }
        #expect(items == 2)
        #expect(connection.takePong() == ByteBuffer(integer: 999))
    }

    @Test func whoPingsWithoutEndIsClosed() async throws {
        try await converse { client, path, _ in
            _ = try await client.upgrade(path)
            for _ in 0..<200 { try await client.send(RawClient.frame(9, [1])) }
            #expect(try await client.closeCode() == 1008)
        }
    }

    @Test func garbageInsteadOfHTTPIsRefused() async throws {
        try await converse { client, _, _ in
            try await client.send("\u{16}\u{3}\u{1} not http at all\r\n\r\n")
            #expect(try await client.response().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func tooLongHeadersAreRefused() async throws {
        try await converse { client, _, _ in
            let value = String(repeating: "h", count: Limits.headerListBytes)
            try? await client.send("GET / HTTP/1.1\r\nHost: l\r\nX: \(value)\r\n\r\n")
            let answer = (try? await client.response()) ?? ""
            #expect(!answer.hasPrefix("HTTP/1.1 2"))
        }
    }
}
