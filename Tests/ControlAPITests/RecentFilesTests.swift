import MediaKernel
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

/// What viewers fetched a moment ago.
@Suite struct RecentFilesTests {
    private final class Clock: Sendable {
        let now = Mutex(Instant.zero)
        func pass(_ duration: Duration) { now.withLock { $0 += duration } }
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
}
