import Foundation
import MediaKernel
import Testing
import Zip

/// Archives beyond 4 GB, of which only the headers are on disk: the rest is holes.
@Suite struct Zip64Tests {
    /// Writes headers at their places in the layout.
    private func write(
        _ files: [(name: String, size: UInt64, bytes: [UInt8])],
        to tool: ZipTool
    ) throws {
        try tool.write([])
        let handle = try FileHandle(forWritingTo: URL(filePath: tool.path))
        defer { try? handle.close() }
        var layout = ZipLayout()
        func put(_ bytes: [UInt8], before place: UInt64) throws {
            try handle.seek(toOffset: place - UInt64(bytes.count))
            try handle.write(contentsOf: Data(bytes))
        }
        for file in files {
            let header = try layout.add(
                try ZipEntry(
                    name: file.name, modified: ZipLayoutTests.date, byteCount: file.size,
                    checksum: CRC32.checksum(file.bytes)))
            let start = layout.byteCount - file.size
            try put(header + file.bytes, before: start + UInt64(file.bytes.count))
        }
        try put(layout.finish(), before: layout.byteCount)
    }

    @Test func filesAndOffsetsBeyondFourGigabytesAreFound() throws {
        let small = Array("small".utf8)
        let huge: UInt64 = 5 << 30
        let tool = try ZipTool()
        try write(
            [
                ("first", huge, []), ("second", huge + 1, []), ("after", 5, small),
            ], to: tool)
        let lines = try tool.python(
            """
            for i in z.infolist(): print(i.filename, i.file_size, i.header_offset > 2**32)
            print(z.read("after"), z.open("second").read(3))
            """)
        #expect(
            lines == [
                "first \(huge) False", "second \(huge + 1) True", "after 5 True",
                #"b'small' b'\x00\x00\x00'"#,
            ])
    }

    /// The values at which a 32-bit field means "look elsewhere".
    @Test(arguments: [UInt64(UInt32.max) - 1, UInt64(UInt32.max), UInt64(UInt32.max) + 1])
    func theEdgeIsWhereTheFieldIsFull(size: UInt64) throws {
        let tool = try ZipTool()
        try write([("edge", size, []), ("after", 1, [7])], to: tool)
        let lines = try tool.python(
            """
            print([i.file_size for i in z.infolist()], z.read("after"))
            print(z.infolist()[0].extract_version)
            """)
        let version = size >= UInt64(UInt32.max) ? 45 : 20
        #expect(lines == ["[\(size), 1] b'\\x07'", "\(version)"])
    }

    @Test func moreThan65535FilesAreCounted() throws {
        let tool = try ZipTool()
        var layout = ZipLayout()
        var archive: [UInt8] = []
        for index in 0..<65_536 {
            archive += try layout.add(
                try ZipEntry(
                    name: "\(index)", modified: ZipLayoutTests.date, byteCount: 0, checksum: 0))
        }
        try tool.write(archive + layout.finish())
        #expect(try tool.python("print(len(z.infolist()))") == ["65536"])
        #expect(try tool.unzipFindsNothingWrong())
    }

    /// The number at which the 16-bit field means "look elsewhere", which few readers support.
    @Test(arguments: [65_534, 65_535]) func theEdgeIsWhereTheCountIsFull(files: Int) throws {
        var layout = ZipLayout()
        for index in 0..<files {
            _ = try layout.add(
                try ZipEntry(
                    name: "\(index)", modified: ZipLayoutTests.date, byteCount: 0, checksum: 0))
        }
        let tail = layout.finish().suffix(22 + 20)
        #expect(tail.starts(with: [0x50, 0x4B, 6, 7]) == (files == 65_535))
        #expect(tail.suffix(14).prefix(2).elementsEqual([UInt8(files & 0xFF), 0xFF]))
    }

    @Test(arguments: [UInt64(UInt32.max) - 1, UInt64(UInt32.max)])
    func theEdgeIsWhereTheOffsetIsFull(offset: UInt64) throws {
        let tool = try ZipTool()
        // 30 bytes of header and four of name come before the file.
        try write([("edge", offset - 34, []), ("after", 1, [7])], to: tool)
        let lines = try tool.python(
            """
            after = z.infolist()[1]
            print(after.header_offset, after.extract_version, z.read("after"))
            """)
        #expect(lines == ["\(offset) \(offset == UInt64(UInt32.max) ? 45 : 20) b'\\x07'"])
    }
}
