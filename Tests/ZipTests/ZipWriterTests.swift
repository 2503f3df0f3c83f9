import MediaKernel
import Testing
import Zip

@Suite struct ZipWriterTests {
    /// 2026-02-03T04:05:06Z.
    static let date = ZipDate(unixSeconds: 1_770_091_506)

    private func entry(_ name: String, _ bytes: [UInt8], streamed: Bool = false) throws -> ZipEntry
    {
        try ZipEntry(
            name: name, modified: Self.date,
            content: streamed
                ? .streamed(byteCountMaximum: 1 << 20)
                : .known(byteCount: UInt64(bytes.count), checksum: CRC32.checksum(bytes)))
    }

    private func archive(_ files: [(name: String, bytes: [UInt8], streamed: Bool)]) throws
        -> [UInt8]
    {
        var zip = ZipWriter()
        var archive: [UInt8] = []
        for file in files {
            archive += try zip.begin(try entry(file.name, file.bytes, streamed: file.streamed))
            for piece in stride(from: 0, to: file.bytes.count, by: 1000) {
                let bytes = Array(file.bytes[piece..<min(piece + 1000, file.bytes.count)])
                zip.append(bytes)
                archive += bytes
            }
            archive += try zip.end()
            #expect(zip.byteCount == UInt64(archive.count))
        }
        archive += zip.finish()
        #expect(zip.byteCount == UInt64(archive.count))
        return archive
    }

    @Test func otherProgramsReadWhatWasWritten() throws {
        let media = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let bytes = try archive([
            ("master.m3u8", Array("#EXTM3U\n".utf8), false), ("stream_0/a.ts", media, false),
            ("stream_0/b.ts", media + [1], true), ("leer/grün.txt", [], true), ("empty", [], false),
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

    @Test func whatIsNotAsAnnouncedIsRefused() throws {
        let bytes: [UInt8] = [1, 2, 3]
        for wrong in [[1, 2], [1, 2, 4], [1, 2, 3, 4]] as [[UInt8]] {
            var zip = ZipWriter()
            _ = try zip.begin(try entry("a", bytes))
            zip.append(wrong)
            #expect(throws: ZipError.contentChanged(name: "a")) { try zip.end() }
        }
        var zip = ZipWriter()
        _ = try zip.begin(
            try ZipEntry(
                name: "a", modified: Self.date, content: .streamed(byteCountMaximum: 2)))
        zip.append(bytes)
        #expect(throws: ZipError.tooLong(name: "a", maximum: 2)) { try zip.end() }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "..", "a/../b", ".", "a\\b", "a\0b", "a\nb"])
    func aNameThatLeadsElsewhereIsRefused(name: String) {
        #expect(throws: ZipError.unusableName(name)) { try entry(name, []) }
    }

    @Test func aNameIsUsedOnceAndIsNotTooLong() throws {
        var zip = ZipWriter()
        _ = try zip.begin(try entry("a", []))
        _ = try zip.end()
        let second = try entry("a", [])
        #expect(throws: ZipError.repeatedName("a")) { try zip.begin(second) }
        let long = String(repeating: "x", count: ZipEntry.nameBytesMaximum)
        #expect(throws: Never.self) { try entry(long, []) }
        #expect(throws: ZipError.unusableName(long + "x")) { try entry(long + "x", []) }
    }

    @Test func datesAreThoseOfTheCalendar() throws {
        // The epoch, leap days, the century that has none, and what cannot be written.
        let dates: [(Int64, String)] = [
            (0, "(1980, 1, 1, 0, 0, 0)"), (951_782_399, "(2000, 2, 28, 23, 59, 58)"),
            (951_782_400, "(2000, 2, 29, 0, 0, 0)"), (1_709_251_199, "(2024, 2, 29, 23, 59, 58)"),
            (1_735_689_598, "(2024, 12, 31, 23, 59, 58)"),
            (4_107_542_398, "(2100, 2, 28, 23, 59, 58)"), (4_107_542_400, "(2100, 3, 1, 0, 0, 0)"),
            (4_133_980_800, "(2101, 1, 1, 0, 0, 0)"), (.max, "(2107, 12, 31, 23, 59, 58)"),
        ]
        var zip = ZipWriter()
        var archive: [UInt8] = []
        for (index, date) in dates.enumerated() {
            archive += try zip.begin(
                try ZipEntry(
                    name: "\(index)", modified: ZipDate(unixSeconds: date.0),
                    content: .known(byteCount: 0, checksum: 0)))
            archive += try zip.end()
        }
        let tool = try ZipTool()
        try tool.write(archive + zip.finish())
        let lines = try tool.python("for i in z.infolist(): print(i.date_time)")
        #expect(lines == dates.map(\.1))
    }
}
