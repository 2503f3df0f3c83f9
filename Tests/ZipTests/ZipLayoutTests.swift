import MediaKernel
import Testing
import Zip

@Suite struct ZipLayoutTests {
    /// 2026-02-03T04:05:06Z.
    static let date = ZipDate(unixSeconds: 1_770_091_506)

    private func entry(_ name: String, _ bytes: [UInt8]) throws -> ZipEntry {
        try ZipEntry(
            name: name, modified: Self.date, byteCount: UInt64(bytes.count),
            checksum: CRC32.checksum(bytes))
    }

    private func archive(_ files: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
        var layout = ZipLayout()
        var archive: [UInt8] = []
        for file in files {
            archive += try layout.add(try entry(file.name, file.bytes))
            archive += file.bytes
            #expect(layout.byteCount == UInt64(archive.count))
        }
        archive += layout.finish()
        #expect(layout.byteCount == UInt64(archive.count))
        return archive
    }

    @Test func otherProgramsReadWhatWasWritten() throws {
        let media = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let bytes = try archive([
            ("master.m3u8", Array("#EXTM3U\n".utf8)), ("stream_0/a.ts", media),
            ("stream_0/b.ts", media + [1]), ("leer/grün.txt", []), ("empty", []),
        ])
        let tool = try ZipTool()
        try tool.write(bytes)
        #expect(try tool.unzipFindsNothingWrong())
        let lines = try tool.python(
            """
            assert z.testzip() is None
            for i in z.infolist():
                print(i.filename, i.file_size, i.date_time, oct(i.external_attr >> 16))
            print(sum(z.read("stream_0/b.ts")))
            """)
        let sum = (media + [1]).reduce(0) { $0 + Int($1) }
        #expect(
            lines == [
                "master.m3u8 8 (2026, 2, 3, 4, 5, 6) 0o100644",
                "stream_0/a.ts 5000 (2026, 2, 3, 4, 5, 6) 0o100644",
                "stream_0/b.ts 5001 (2026, 2, 3, 4, 5, 6) 0o100644",
                "leer/grün.txt 0 (2026, 2, 3, 4, 5, 6) 0o100644",
                "empty 0 (2026, 2, 3, 4, 5, 6) 0o100644", "\(sum)",
            ])
    }

    @Test func anArchiveOfNothingIsOne() throws {
        let tool = try ZipTool()
        try tool.write(try archive([]))
        #expect(try tool.python("print(len(z.infolist()))") == ["0"])
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "..", "a/../b", ".", "a\\b", "a\0b", "a\nb"])
    func aNameThatLeadsElsewhereIsRefused(name: String) {
        #expect(throws: ZipError.unusableName(name)) { try entry(name, []) }
    }

    @Test func aNameIsUsedOnceAndIsNotTooLong() throws {
        var layout = ZipLayout()
        _ = try layout.add(try entry("a", []))
        let second = try entry("a", [])
        #expect(throws: ZipError.repeatedName("a")) { try layout.add(second) }
        let long = String(repeating: "x", count: ZipEntry.nameBytesMaximum)
        #expect(throws: Never.self) { try entry(long, []) }
        #expect(throws: ZipError.unusableName(long + "x")) { try entry(long + "x", []) }
    }

    @Test func datesAreThoseOfTheCalendar() throws {
        // The epoch, leap days, a century without one, and dates that cannot be written.
        let dates: [(Int64, String)] = [
            (0, "(1980, 1, 1, 0, 0, 0)"), (951_782_399, "(2000, 2, 28, 23, 59, 58)"),
            (951_782_400, "(2000, 2, 29, 0, 0, 0)"), (1_709_251_199, "(2024, 2, 29, 23, 59, 58)"),
            (1_735_689_598, "(2024, 12, 31, 23, 59, 58)"),
            (4_107_542_398, "(2100, 2, 28, 23, 59, 58)"), (4_107_542_400, "(2100, 3, 1, 0, 0, 0)"),
            (4_133_980_800, "(2101, 1, 1, 0, 0, 0)"), (.max, "(2107, 12, 31, 23, 59, 58)"),
        ]
        var layout = ZipLayout()
        var archive: [UInt8] = []
        for (index, date) in dates.enumerated() {
            archive += try layout.add(
                try ZipEntry(
                    name: "\(index)", modified: ZipDate(unixSeconds: date.0), byteCount: 0,
                    checksum: 0))
        }
        let tool = try ZipTool()
        try tool.write(archive + layout.finish())
        let lines = try tool.python("for i in z.infolist(): print(i.date_time)")
        #expect(lines == dates.map(\.1))
    }
}
