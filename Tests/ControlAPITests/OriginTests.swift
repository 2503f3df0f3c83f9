import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct OriginTests {
    let playlist = GzipTests.playlist(segments: 50)
    let segment = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test func aPlaylistIsAlwaysRevalidated() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        let playlist = playlist
        try await world.routes { client in
            let response = try await client.execute(uri: "/hls/demo/s1/master.m3u8", method: .get)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/vnd.apple.mpegurl")
            #expect(response.headers[.cacheControl] == "no-cache")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.vary] == "Accept-Encoding")
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.headers[.contentLength] == "\(playlist.utf8.count)")
            #expect(String(buffer: response.body) == playlist)
            let tag = try #require(response.headers[.eTag])
            let again = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .get, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.body.readableBytes == 0)
            #expect(again.headers[.eTag] == tag)
        }
    }

    @Test func aPlaylistIsCompressedForThoseWhoAcceptIt() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        let playlist = playlist
        try await world.routes { client in
            let plain = try await client.execute(uri: "/hls/demo/s1/master.m3u8", method: .get)
            let response = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .get,
                headers: [.acceptEncoding: "gzip, deflate, br"])
            #expect(response.headers[.contentEncoding] == "gzip")
            #expect(response.headers[.contentType] == "application/vnd.apple.mpegurl")
            #expect(response.headers[.contentLength] == "\(response.body.readableBytes)")
            #expect(
                try GzipTests.expanded(Array(response.body.readableBytesView))
                    == Array(playlist.utf8))
            let tag = try #require(response.headers[.eTag])
            #expect(tag != plain.headers[.eTag])
            let again = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .get,
                headers: [.acceptEncoding: "gzip", .ifNoneMatch: "\"x\", W/\(tag)"])
            #expect(again.status == .notModified)
        }
    }

    @Test func aRenamedPlaylistHasAnotherTag() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        try await world.routes { client in
            let first = try await client.execute(uri: "/hls/demo/s1/master.m3u8", method: .get)
            try world.write("demo/s1/.next", "#EXTM3U\n".utf8)
            try FileManager.default.removeItem(
                atPath: "\(world.directory)/out/demo/s1/master.m3u8")
            try FileManager.default.moveItem(
                atPath: "\(world.directory)/out/demo/s1/.next",
                toPath: "\(world.directory)/out/demo/s1/master.m3u8")
            let second = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .get,
                headers: [.ifNoneMatch: first.headers[.eTag] ?? ""])
            #expect(second.status == .ok)
            #expect(String(buffer: second.body) == "#EXTM3U\n")
        }
    }

    @Test func aSegmentMayBeKeptForAYear() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/stream_0/segment_000001.ts", segment)
        let segment = segment
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/hls/demo/s1/stream_0/segment_000001.ts?x=1", method: .get,
                headers: [.acceptEncoding: "gzip"])
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "video/mp2t")
            #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(response.headers[.acceptRanges] == "bytes")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.contentEncoding] == nil)
            #expect(Array(response.body.readableBytesView) == segment)
        }
    }

    @Test func aPartOfASegmentCanBeFetched() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/stream_0/a.m4s", segment)
        let segment = segment
        try await world.routes { client in
            let uri = "/hls/demo/s1/stream_0/a.m4s"
            let part = try await client.execute(
                uri: uri, method: .get, headers: [.range: "bytes=1000-400000"])
            #expect(part.status == .partialContent)
            #expect(part.headers[.contentRange] == "bytes 1000-400000/700000")
            #expect(part.headers[.contentLength] == "399001")
            #expect(part.headers[.contentType] == "video/mp4")
            #expect(Array(part.body.readableBytesView) == Array(segment[1000...400_000]))
            let tail = try await client.execute(
                uri: uri, method: .get, headers: [.range: "bytes=-5"])
            #expect(Array(tail.body.readableBytesView) == Array(segment.suffix(5)))
            let beyond = try await client.execute(
                uri: uri, method: .get, headers: [.range: "bytes=700000-"])
            #expect(beyond.status == .rangeNotSatisfiable)
            #expect(beyond.headers[.contentRange] == "bytes */700000")
            let stale = try await client.execute(
                uri: uri, method: .get, headers: [.range: "bytes=0-1", .ifRange: "\"old\""])
            #expect(stale.status == .ok)
            let fresh = try await client.execute(
                uri: uri, method: .get,
                headers: [.range: "bytes=0-1", .ifRange: part.headers[.eTag] ?? ""])
            #expect(fresh.status == .partialContent)
        }
    }

    /// RFC 9110 sect. 14.2: ranges apply only to GET.
    @Test func headHasNoParts() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/stream_0/a.ts", segment)
        try await world.live { client in
            let head = try await client.execute(
                uri: "/hls/demo/s1/stream_0/a.ts", method: .head, headers: [.range: "bytes=0-9"])
            #expect(head.status == .ok)
            #expect(head.headers[.contentLength] == "700000")
            #expect(head.headers[.contentRange] == nil)
            let beyond = try await client.execute(
                uri: "/hls/demo/s1/stream_0/a.ts", method: .head,
                headers: [.range: "bytes=700000-"])
            #expect(beyond.status == .ok)
        }
    }

    private static let early = "Thu, 01 Jan 1970 00:00:10 GMT"
    private static let late = "Fri, 01 Jan 2100 00:00:00 GMT"

    /// In the order of RFC 9110 sect. 13.2.2; `TAG` and `DATE` are those of the segment.
    @Test(
        arguments: [
            ([.ifMatch: "TAG"], 200), ([.ifMatch: "*"], 200), ([.ifMatch: "\"a\", TAG"], 200),
            ([.ifMatch: "\"a\""], 412), ([.ifMatch: "W/TAG"], 412),
            ([.ifMatch: "\"a\"", .ifNoneMatch: "TAG"], 412),
            ([.ifMatch: "TAG", .ifUnmodifiedSince: early], 200),
            ([.ifMatch: "TAG", .ifNoneMatch: "TAG"], 304),
            ([.ifMatch: "\"a\"", .range: "bytes=0-1"], 412),
            ([.ifUnmodifiedSince: early], 412), ([.ifUnmodifiedSince: late], 200),
            ([.ifUnmodifiedSince: "DATE"], 200), ([.ifUnmodifiedSince: "yesterday"], 200),
            ([.ifNoneMatch: "TAG"], 304), ([.ifNoneMatch: "W/TAG"], 304),
            ([.ifNoneMatch: "*"], 304),
            ([.ifNoneMatch: "\"a\""], 200), ([.ifNoneMatch: "\"a\"", .ifModifiedSince: late], 200),
            ([.ifNoneMatch: "TAG", .range: "bytes=0-1"], 304),
            ([.ifModifiedSince: late], 304), ([.ifModifiedSince: "DATE"], 304),
            ([.ifModifiedSince: early], 200), ([.ifModifiedSince: "yesterday"], 200),
            ([.range: "bytes=0-1"], 206), ([.range: "bytes=0-1", .ifMatch: "TAG"], 206),
            ([.range: "bytes=0-1", .ifRange: "TAG"], 206),
            ([.range: "bytes=0-1", .ifRange: "W/TAG"], 200),
            ([.range: "bytes=0-1", .ifRange: "DATE"], 206),
            ([.range: "bytes=0-1", .ifRange: early], 200),
            ([.range: "bytes=0-1", .ifRange: late], 200),
        ] as [([HTTPField.Name: String], Int)])
    func conditionsAreObeyed(fields: [HTTPField.Name: String], status: Int) async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/stream_0/a.ts", segment)
        try await world.routes { client in
            let uri = "/hls/demo/s1/stream_0/a.ts"
            let whole = try await client.execute(uri: uri, method: .get)
            let tag = try #require(whole.headers[.eTag])
            let date = try #require(whole.headers[.lastModified])
            var headers = HTTPFields()
            for (name, value) in fields {
                headers[name] = value.replacing("TAG", with: tag).replacing("DATE", with: date)
            }
            let answer = try await client.execute(uri: uri, method: .get, headers: headers)
            #expect(answer.status.code == status)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
        }
    }

    /// One may be written twice within a second, so a date proves nothing.
    @Test func aPlaylistHasNoDate() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        try await world.routes { client in
            let uri = "/hls/demo/s1/master.m3u8"
            let whole = try await client.execute(uri: uri, method: .get)
            #expect(whole.headers[.lastModified] == nil)
            for name in [HTTPField.Name.ifModifiedSince, .ifUnmodifiedSince] {
                for date in [Self.early, Self.late] {
                    let answer = try await client.execute(
                        uri: uri, method: .get, headers: [name: date])
                    #expect(answer.status == .ok)
                }
            }
            let other = try await client.execute(
                uri: uri, method: .get, headers: [.ifMatch: "\"a\""])
            #expect(other.status == .preconditionFailed)
        }
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func datesOfAllThreeFormsAreRead(text: String) {
        let time = HTTPDate.time(text)
        #expect(time?.seconds == 784_111_777)
        #expect(time.map(HTTPDate.text) == "Sun, 06 Nov 1994 08:49:37 GMT")
        // A file may have any time.
        #expect(HTTPDate.text(UnixTime(seconds: -86_401)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test(arguments: [
        "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 64),
    ])
    func whatIsNoDateIsNone(text: String) {
        #expect(HTTPDate.time(text) == nil)
    }

    @Test func aDateFarOffIsOne() {
        #expect(HTTPDate.time("Fri, 31 Dec 9999 23:59:59 GMT") != nil)
    }

    @Test func headTellsWhatGetWouldSend() async throws {
        let world = try await TestWorld()
        try world.write("demo/s1/stream_0/segment_000001.ts", segment)
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        try await world.live { client in
            let segment = try await client.execute(
                uri: "/hls/demo/s1/stream_0/segment_000001.ts", method: .head)
            #expect(segment.status == .ok)
            #expect(segment.headers[.contentLength] == "700000")
            #expect(segment.body.readableBytes == 0)
            let playlist = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .head)
            #expect(playlist.headers[.contentType] == "application/vnd.apple.mpegurl")
            #expect(playlist.headers[.eTag] != nil)
        }
    }

    @Test func preflightsForRangesAreAnswered() async throws {
        try await TestWorld().routes { client in
            let response = try await client.execute(
                uri: "/hls/demo/s1/master.m3u8", method: .options)
            #expect(response.status == .noContent)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            let allowed = Set(
                (response.headers[.accessControlAllowHeaders] ?? "").lowercased()
                    .split(separator: ",").map { $0.filter { $0 != " " } })
            // The headers of hls.js, Shaka, dash.js, ExoPlayer's web variants and Safari, as
            // configured.
            #expect(
                allowed.isSuperset(of: [
                    "range", "if-match", "if-none-match", "if-modified-since",
                    "if-unmodified-since", "if-range", "cache-control", "pragma",
                    "x-playback-session-id", "cmcd-object", "cmcd-request", "cmcd-session",
                    "cmcd-status", "authorization", "content-type",
                ]))
        }
    }

    @Test(arguments: [
        "/hls/../secret.ts", "/hls/demo/../../secret.ts", "/hls/%2e%2e/secret.ts",
        "/hls/demo/%2e%2e/%2e%2e/secret.ts", "/hls/..%2fsecret.ts", "/hls//secret.ts",
        "/hls/demo/s1/.bot.json", "/hls/demo/s1/master.m3u8.tmp", "/hls/demo/s1/missing.m3u8",
        "/hls/demo/s1", "/hls/demo/s1/", "/hls/", "/hls/out.ts", "/hls/outdir/secret.ts",
        "/hls/demo/s1/fifo.ts", "/hls/demo/s1/directory.ts", "/hls/demo/s1/master.m3u8/x.ts",
    ])
    func noPathLeadsOutOfTheDirectory(uri: String) async throws {
        let world = try await TestWorld()
        let manager = FileManager.default
        try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(world.directory)/secret.ts"))
        for name in [".bot.json", "master.m3u8.tmp", "master.m3u8"] {
            try world.write("demo/s1/\(name)", "secret".utf8)
        }
        // Links that lead out of the tree, to a file and to a directory, and items that are not
        // files.
        try manager.createSymbolicLink(
            atPath: "\(world.directory)/out/out.ts",
            withDestinationPath: "\(world.directory)/secret.ts")
        try manager.createSymbolicLink(
            atPath: "\(world.directory)/out/outdir", withDestinationPath: world.directory)
        try manager.createDirectory(
            atPath: "\(world.directory)/out/demo/s1/directory.ts",
            withIntermediateDirectories: false)
        #expect(mkfifo("\(world.directory)/out/demo/s1/fifo.ts", 0o600) == 0)
        try await world.live { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .notFound)
            #expect(!String(buffer: response.body).contains("secret"))
            let error = try TestJSON.decode(APIError.Body.self, response)
            #expect(error.code == 404)
        }
    }

    @Test func theRootItselfMayBeALink() async throws {
        var world = try await TestWorld()
        try world.write("demo/s1/master.m3u8", playlist.utf8)
        try FileManager.default.createSymbolicLink(
            atPath: "\(world.directory)/link", withDestinationPath: "\(world.directory)/out")
        world.configuration.outputDirectory = "\(world.directory)/link"
        try await world.routes { client in
            let response = try await client.execute(uri: "/hls/demo/s1/master.m3u8", method: .get)
            #expect(response.status == .ok)
        }
    }

    @Test func theCacheOfPlaylistsStaysBelowItsMaximum() async {
        let cache = PlaylistCache()
        for index in 0..<PlaylistCache.entriesMaximum * 2 {
            let body = [UInt8(index % 256)]
            #expect(await cache.body(tag: "\(index)") { body } == body)
        }
        let last = "\(PlaylistCache.entriesMaximum * 2 - 1)"
        #expect(await cache.body(tag: last) { [] } != [])
        #expect(await cache.body(tag: "0") { [7] } == [7])
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    @Test func whoAsksWhileAPlaylistIsBeingMadeWaitsForIt() async {
        let cache = PlaylistCache()
        let made = Count()
        let (gate, opener) = AsyncStream<Never>.makeStream()
        await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await cache.body(tag: "a") {
                        made.value.withLock { $0 += 1 }
                        for await _ in gate {}
                        return [1]
                    }
                }
            }
            opener.finish()
            for await body in group { #expect(body == [1]) }
        }
        #expect(made.value.withLock { $0 } == 1)
    }

    @Test func whatCouldNotBeMadeIsTriedAgain() async {
        let cache = PlaylistCache()
        #expect(await cache.body(tag: "a") { nil } == nil)
        #expect(await cache.body(tag: "a") { [1] } == [1])
    }
}
