import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

/// What viewers fetched a moment ago.
@Suite struct RecentFilesTests {
    private final class Clock: Sendable {
        let now = Mutex(Instant.zero)
        func pass(_ duration: Duration) { now.withLock { $0 += duration } }
    }

    private final class ReadCount: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static func file(_ count: Int) -> RecentFiles.Content {
        .file(
            EdgeFile(
                bytes: ByteBuffer(repeating: 0, count: count), kind: .fragment, entityTag: "a",
                modified: UnixTime(seconds: 1)))
    }

    private static let text = RecentFiles.Content.text(
        EdgeText(plain: Array("#EXTM3U\n".utf8), isGzip: false, tag: "a"))

    private let clock = Clock()
    private var recent: RecentFiles {
        RecentFiles(clock: { [clock] in clock.now.withLock { $0 } })
    }

    @Test func aFileStaysForHalfAMinuteAndAPlaylistForAMoment() {
        let recent = recent
        recent.keep(Self.file(1), named: "f")
        recent.keep(Self.text, named: "p")
        clock.pass(.milliseconds(49))
        #expect(recent["f"] != nil && recent["p"] != nil && recent["q"] == nil)
        clock.pass(.milliseconds(1))
        #expect(recent["f"] != nil && recent["p"] == nil && recent.latest("p") != nil)
        clock.pass(.seconds(30))
        #expect(recent["f"] == nil)
    }

    @Test func theOldestIsDroppedFirst() {
        let recent = recent
        let third = RecentFiles.bytesMaximum / 3
        for name in ["a", "b", "c"] { recent.keep(Self.file(third), named: name) }
        #expect(recent["a"] != nil)
        recent.keep(Self.file(third), named: "d")
        #expect(recent["a"] == nil && recent["b"] != nil && recent["d"] != nil)
        for index in 0...RecentFiles.entriesMaximum { recent.keep(Self.file(1), named: "\(index)") }
        #expect(recent["d"] == nil && recent["0"] == nil && recent["1"] != nil)
    }

    @Test func whatIsOutOfDateGivesItsBytesBack() {
        let recent = recent
        recent.keep(Self.file(1000), named: "a")
        #expect(recent.byteCount == 1000)
        recent.keep(Self.file(10), named: "a")
        #expect(recent.byteCount == 10)
        clock.pass(.seconds(31))
        recent.keep(Self.file(1), named: "b")
        #expect(recent.byteCount == 1)
    }

    /// A playlist that is asked for all the time is no old one.
    @Test func whatIsRenewedIsNotTheOldest() {
        let recent = recent
        recent.keep(Self.text, named: "p")
        recent.keep(Self.file(1000), named: "f")
        for _ in 0..<800 {
            clock.pass(.milliseconds(50))
            recent.keep(Self.text, named: "p")
        }
        #expect(recent["p"] != nil)
        #expect(recent.byteCount == "#EXTM3U\n".utf8.count)
        let third = RecentFiles.bytesMaximum / 3 - 100
        for name in ["a", "b", "c"] { recent.keep(Self.file(third), named: name) }
        recent.keep(Self.text, named: "p")
        recent.keep(Self.file(third), named: "d")
        #expect(recent["p"] != nil && recent["a"] == nil && recent["b"] != nil)
    }

    /// A thread that the disk has held up brings no older playlist back.
    @Test func anOlderPlaylistReplacesNoNewerOne() {
        let recent = recent
        func keep(_ tag: String, modified: Int64, since moment: RecentFiles.Moment) {
            let text = EdgeText(plain: Array(tag.utf8), isGzip: false, tag: tag)
            recent.keep(
                .text(text), named: "p", modified: UnixTime(seconds: modified), since: moment)
        }
        let first = recent.now
        keep("new", modified: 2, since: recent.now)
        keep("old", modified: 1, since: first)
        #expect(recent["p"]?.tag == "\"new\"")
        clock.pass(.seconds(1))
        keep("old", modified: 1, since: first)
        #expect(recent["p"] == nil)
        // The clock on the wall may be set back.
        keep("newest", modified: 0, since: recent.now)
        #expect(recent["p"]?.tag == "\"newest\"")
    }

    @Test func whatIsRemovedIsForgotten() {
        let recent = recent
        for name in ["demo/s1/stream_0/a.ts", "demo/s10/stream_0/a.ts"] {
            recent.keep(Self.file(10), named: name)
        }
        // One file is being read meanwhile.
        let moment = recent.now
        recent.forget(below: "demo/s1")
        recent.keep(Self.file(10), named: "demo/s1/stream_0/b.ts", since: moment)
        #expect(recent["demo/s1/stream_0/a.ts"] == nil && recent["demo/s1/stream_0/b.ts"] == nil)
        #expect(recent["demo/s10/stream_0/a.ts"] != nil && recent.byteCount == 10)
    }

    @Test func whoWantsTheSameAtTheSameTimeGetsOneRead() async {
        let reads = SharedReads<Int>()
        let count = ReadCount()
        let (gate, opener) = AsyncStream<Never>.makeStream()
        let ask: @Sendable () async -> Int? = {
            await reads.value("a") {
                for await _ in gate {}
                return count.next()
            }
        }
        let first = Task { await ask() }
        let second = Task { await ask() }
        #expect(await comesAbout { reads.waitCount == 2 })
        opener.finish()
        #expect(await first.value == 1)
        #expect(await second.value == 1)
        #expect(await ask() == 2)
    }

    /// Slow viewers of many files share a limit; the others are served from the disk, in pieces.
    @Test func whatSlowViewersHaveNotTakenIsLimited() async throws {
        let world = try await TestWorld()
        let recent = recent
        let origin = Origin(
            root: "\(world.directory)/out", recent: recent,
            census: ViewerCensus(clock: { .zero }), key: world.playbackKey,
            clock: { TestWorld.now })
        func ask(_ name: String) async throws -> Response {
            let path = "demo/s1/stream_0/\(name)"
            try world.write(path, String(repeating: "x", count: 4_000_000).utf8)
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: "localhost", path: "/hls/\(path)")
            return try await origin.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), encodedPath: path)
        }
        var waiting: [Response] = []
        for index in 0..<50 { waiting.append(try await ask("segment_\(index).ts")) }
        #expect(recent.byteCount <= RecentFiles.bytesMaximum)
        #expect(recent.held.byteCount > RecentFiles.heldBytesMaximum)
        #expect(recent.held.byteCount <= RecentFiles.heldBytesMaximum + 4_000_000)
        #expect(recent["demo/s1/stream_0/segment_49.ts"] == nil)
        waiting = []
        #expect(await comesAbout { recent.held.byteCount == recent.byteCount })
        _ = try await ask("segment_50.ts")
        #expect(recent["demo/s1/stream_0/segment_50.ts"] != nil)
    }

    /// What is not wanted whole is not read whole, and what is kept is not read again.
    @Test func aFileIsReadForThoseWhoWantAllOfIt() async throws {
        let world = try await TestWorld()
        let path = "demo/s1/stream_0/segment_1.ts"
        try world.write(path, "segment".utf8)
        let recent = recent
        let origin = Origin(
            root: "\(world.directory)/out", recent: recent,
            census: ViewerCensus(clock: { .zero }), key: world.playbackKey,
            clock: { TestWorld.now })
        func ask(_ method: HTTPRequest.Method, _ fields: HTTPFields = [:]) async throws {
            let head = HTTPRequest(
                method: method, scheme: "http", authority: "localhost", path: "/hls/\(path)",
                headerFields: fields)
            let answer = try await origin.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), encodedPath: path)
            #expect(answer.status.code < 400)
        }
        try await ask(.head)
        try await ask(.get, [.range: "bytes=0-0"])
        try await ask(.get, [.ifNoneMatch: "*"])
        #expect(recent.byteCount == 0)
        try await ask(.get)
        func address() -> UInt? {
            guard case .file(let file) = recent[path] else { return nil }
            return file.bytes.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        let first = address()
        let kept = recent[path]
        try await ask(.get)
        #expect(first != nil && address() == first)
        withExtendedLifetime(kept) {}
    }
}
