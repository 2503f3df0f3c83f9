import Foundation
import Glibc
import Testing

@testable import WebPage

@Suite struct BrowserProfileTests {
    @Test func whatAKilledKeeperLeftIsRemovedByTheNext() throws {
        var template = Array("/tmp/profiles-XXXXXX".utf8CString)
        let directory = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func grow(_ path: String) {
            let old = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, path, old, 0) == 0)
        }
        let kept = try #require(BrowserProfile(in: directory))
        grow(kept.path)
        let others = ["left", "other"].map { "\(directory)/\($0)" }
        let stale = "\(directory)/roomcast-page-stale"
        let young = "\(directory)/roomcast-page-young"
        for path in others + [stale, young] { #expect(mkdir(path, 0o700) == 0) }
        for path in others + [stale] { grow(path) }
        BrowserProfile.sweep(["\(directory)/missing", directory])
        let next = try #require(BrowserProfile(in: directory))
        func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        #expect(!isThere(stale))
        #expect(isThere(kept.path) && isThere(next.path) && isThere(young))
        #expect(others.allSatisfy(isThere))
        kept.remove()
        next.remove()
        #expect(!isThere(kept.path) && !isThere(next.path))
        #expect(BrowserProfile(in: "\(directory)/missing") == nil)
    }
}
