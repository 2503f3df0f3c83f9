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
}
