import Foundation
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing
import Workbench

@testable import ControlAPI

/// Requests that are answered on their connection's event loop.
@Suite struct EdgeHandlerTests {
    private static func get(_ path: String, _ fields: String...) -> String {
        (["GET /hls/demo/s1/\(path) HTTP/1.1", "Host: localhost"] + fields)
            .joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static let next = get("cmaf_0/stream.m3u8?_HLS_msn=3&_HLS_part=2")
    private static let newest = get("cmaf_0/stream.m3u8")
    private static let part = get("cmaf_0/\(EdgeWorld.name(3, 1))")
    private static let elsewhere = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// A stream with two parts of segment 3, and a connection to its server.
    private func converse(
        _ body: @escaping @Sendable (EdgeWorld, inout RawClient.Conversation) async throws -> Void
    ) async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.live { client in
            let port = try #require(client.port)
            try await RawClient.connect(port: port) { try await body(edge, &$0) }
        }
    }

    @Test func answersHaveTheOrderOfTheirRequests() async throws {
        try await converse { edge, client in
            try await client.send(
                Self.newest + Self.elsewhere + Self.next + Self.part + Self.elsewhere + Self.newest)
            #expect(try await client.response().contains("part_00003_1.m4s\"\n#EXT-X-PRE"))
            #expect(try await client.response().contains("\r\n\r\n"))
            // Everything behind the request that waits is held.
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            try edge.publish(3, 2)
            #expect(try await client.response().contains("part_00003_2.m4s\"\n#EXT-X-PRE"))
            #expect(try await client.response().hasSuffix("\r\n\r\n\(EdgeWorld.name(3, 1))"))
            #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
            #expect(try await client.response().contains("part_00003_2.m4s\"\n#EXT-X-PRE"))
        }
    }

    /// Its body comes when the answer before it has been sent.
    @Test func aRequestThatWasHeldIsReadToItsEnd() async throws {
        try await converse { edge, client in
            try await client.send(
                Self.next + Self.get("cmaf_0/\(EdgeWorld.name(3, 1))", "Content-Length: 1"))
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            try edge.publish(3, 2)
            #expect(try await client.response().contains("part_00003_2.m4s\"\n#EXT-X-PRE"))
            try await client.send("x")
            #expect(try await client.response().hasSuffix("\r\n\r\n\(EdgeWorld.name(3, 1))"))
        }
    }

    /// RFC 9112 sect. 9.6.
    @Test func nothingBehindTheLastRequestIsAnswered() async throws {
        try await converse { edge, client in
            try await client.send(
                Self.get("cmaf_0/\(EdgeWorld.name(3, 1))", "Connection: close") + Self.newest)
            let all = try await client.ending()
            #expect(all.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(all.hasSuffix("\r\n\r\n\(EdgeWorld.name(3, 1))"))
        }
    }

    @Test func theHeadersAreThoseOfTheRoutes() async throws {
        try await converse { edge, client in
            try await client.send(Self.part + Self.get("cmaf_0/stream.m3u8", "If-None-Match: *"))
            let part = try await client.response()
            for line in [
                "HTTP/1.1 200 OK", "server: roomcast", "date: ", "content-length: 16",
                "access-control-allow-origin: *", "accept-ranges: bytes", "etag: \"",
                "cache-control: public, max-age=31536000, immutable", "content-type: video/mp4",
                "x-content-type-options: nosniff", "last-modified: ",
            ] {
                #expect(part.lowercased().contains(line.lowercased()), "\(line)")
            }
            #expect(try await client.response().hasPrefix("HTTP/1.1 304"))
        }
    }

    @Test func headHasNoBody() async throws {
        try await converse { edge, client in
            let path = "HEAD /hls/demo/s1/cmaf_0/\(EdgeWorld.name(3, 1)) HTTP/1.1\r\n"
            try await client.send(
                "\(path)Host: localhost\r\n\r\n"
                    + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let both = try await client.ending()
            #expect(both.lowercased().contains("content-length: 16"))
            #expect(both.components(separatedBy: "HTTP/1.1 200").count == 3)
            #expect(!both.contains(EdgeWorld.name(3, 1)))
        }
    }

    @Test func whatTheRoutesRefuseIsRefused() async throws {
        try await converse { edge, client in
            try await client.send(
                Self.get("cmaf_0/stream.m3u8?_HLS_msn=99")
                    + Self.get("cmaf_0/stream.m3u8?_HLS_part=1")
                    + Self.get("cmaf_0/part_00009_0.m4s") + Self.get("cmaf_0/nothing.key")
                    + Self.get("cmaf_0/../cmaf_0/stream.m3u8"))
            for status in [400, 400, 404, 404, 404] {
                #expect(try await client.response().hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    @Test func aWaitThatTakesTooLongIsTold() async throws {
        try await converse { edge, client in
            try await client.send(Self.next)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            edge.pass(.seconds(7))
            let answer = try await client.response()
            #expect(answer.hasPrefix("HTTP/1.1 503"))
            #expect(answer.lowercased().contains("retry-after: 1"))
            try await client.send(Self.newest)
            #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func whatHasEndedComesFromTheDisk() async throws {
        try await converse { edge, client in
            try await client.send(Self.next)
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            edge.edges.ended(edge.stream)
            let answer = try await client.response()
            #expect(answer.hasPrefix("HTTP/1.1 200") && !answer.contains("EXT-X-PART"))
        }
    }

    /// It asks, and is gone before the answer.
    @Test func aViewerWhoLeavesIsForgotten() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.live { client in
            let port = try #require(client.port)
            for _ in 0..<3 {
                try await RawClient.connect(port: port) { client in
                    try await client.send(Self.next)
                    #expect(await comesAbout { edge.edge.waitCount > 0 })
                }
            }
            try edge.publish(3, 2)
            #expect(await edge.edge.settled())
            #expect(edge.edge.waitCount == 0)
            let answer = try await client.execute(
                uri: "/hls/demo/s1/cmaf_0/stream.m3u8", method: .get)
            #expect(answer.status == .ok)
        }
    }

    /// Its connection counts no longer, so neither may its wait; also where the routes answer.
    @Test(arguments: [next, get("cmaf_0/stream.m3u8?_HLS_msn=3&_HLS_part=2", "Connection: close")])
    func aViewerWhoIsCutOffWaitsNoLonger(request: String) async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3, open: 2)
        try await edge.world.live { client in
            let port = try #require(client.port)
            try await RawClient.connect(port: port, resets: true) { client in
                try await client.send(request)
                #expect(await comesAbout { edge.edge.waitCount == 1 })
            }
            #expect(await comesAbout { edge.edge.waitCount == 0 })
        }
    }

    /// Like `nc -N`.
    @Test func whoSendsNothingMoreGetsTheWholeAnswer() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3)
        try edge.publish(3, 0, content: String(repeating: "x", count: 4_000_000))
        #expect(await edge.edge.settled())
        try await edge.world.live { client in
            let port = try #require(client.port)
            try await RawClient.connect(port: port) { client in
                let one = Self.get("cmaf_0/\(EdgeWorld.name(3, 0))")
                try await client.send(String(repeating: one, count: 5))
                try await client.endSending()
                for _ in 0..<5 { #expect(try await client.response().utf8.count > 4_000_000) }
                #expect(try await client.ending().isEmpty)
            }
        }
    }

    /// Files beside the newest are kept like those of any stream: all viewers need the header.
    @Test func theHeaderIsReadOnce() async throws {
        try await converse { edge, client in
            let path = "\(edge.directory)/cmaf_0/init_1.mp4"
            try edge.world.write(path, "header".utf8)
            try await client.send(Self.get("cmaf_0/init_1.mp4"))
            #expect(try await client.response().hasSuffix("\r\n\r\nheader"))
            try FileManager.default.removeItem(atPath: "\(edge.world.directory)/out/\(path)")
            try await client.send(Self.get("cmaf_0/init_1.mp4"))
            #expect(try await client.response().hasSuffix("\r\n\r\nheader"))
        }
    }

    /// Whoever reads nothing gets no further answers, and holds up nobody.
    @Test func aViewerWhoNeverReadsCostsLittle() async throws {
        let edge = try await EdgeWorld()
        try await edge.run(segments: 3)
        try edge.publish(3, 0, content: String(repeating: "x", count: 1_000_000))
        #expect(await edge.edge.settled())
        try await edge.world.live { client in
            let port = try #require(client.port)
            try await RawClient.connect(port: port) { deaf in
                let one = Self.get("cmaf_0/\(EdgeWorld.name(3, 0))")
                try await deaf.send(String(repeating: one, count: 200))
                let other = try await client.execute(
                    uri: "/hls/demo/s1/cmaf_0/\(EdgeWorld.name(3, 0))", method: .get)
                #expect(other.body.readableBytes == 1_000_000)
                // All of it comes once it reads.
                for _ in 0..<200 { #expect(try await deaf.response().utf8.count > 1_000_000) }
            }
        }
    }

    @Test func aWaitBeforeGarbageIsAnsweredFirst() async throws {
        try await converse { edge, client in
            try await client.send(Self.next + "garbage\r\n\r\n")
            #expect(await comesAbout { edge.edge.waitCount == 1 })
            try edge.publish(3, 2)
            #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
            #expect(try await client.response().hasPrefix("HTTP/1.1 400"))
        }
    }
}
