import Testing

@testable import ISOMedia

/// The boxes before a movie's media.
@Suite struct MovieHeaderTests {
    /// A box and what is in it, as a stranger reads it.
    private struct Box {
        var type: String
        var content: ArraySlice<UInt8>

        /// All boxes of some bytes. The size of a last one may promise media that follow.
        static func read(_ bytes: ArraySlice<UInt8>) throws -> [Box] {
            var boxes: [Box] = []
            var rest = bytes
            while !rest.isEmpty {
                try #require(rest.count >= 8)
                let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
                var (size, head) = (number(rest.prefix(4)), 8)
                if size == 1 { (size, head) = (number(rest.dropFirst(8).prefix(8)), 16) }
                let box = rest.prefix(Int(size))
                boxes.append(Box(type: type, content: box.dropFirst(head)))
                rest = rest.dropFirst(box.count)
            }
            return boxes
        }

        static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }

        func child(_ path: String...) throws -> Box {
            try path.reduce(self) { box, type in
                try #require(try Box.read(box.content).first { $0.type == type })
            }
        }

        /// Words of 32 bits behind version and flags.
        var words: [UInt64] {
            let body = content.dropFirst(4)
            return stride(from: body.startIndex, to: body.endIndex - 3, by: 4).map {
                Box.number(body[$0..<$0 + 4])
            }
        }
    }

    private static func table(_ sizes: [UInt32], duration: UInt32) -> SampleTable {
        var table = SampleTable()
        table.sizes = sizes
        for _ in sizes { table.durations.append(duration) }
        _ = table.addChunk(sizes, description: 1, at: 0)
        return table
    }

    private static let video = MovieTrack(
        id: 1, .video(width: 320, height: 180), timescale: 3000, duration: 300, skipped: 200,
        shown: 300, table: table([10, 20, 30], duration: 100),
        entries: [.avc(width: 320, height: 180, configuration: [1, 2, 3])])
    private static let audio = MovieTrack(
        id: 2, .audio, timescale: 48_000, duration: 9600, pause: 2400, shown: 9600,
        table: table([5, 5], duration: 4800),
        entries: [
            .aac(
                channels: 2, sampleRate: 48_000, configuration: [0x11, 0x90],
                .init(average: 64_000, peak: 96_000))
        ])

    private func moov(_ tracks: [MovieTrack], media: UInt64 = 70) throws -> (Box, [Box]) {
        let header = MovieHeader(tracks: tracks, createdAt: 0, mediaByteCount: media)
        let boxes = try Box.read(header.bytes[...])
        #expect(boxes.map(\.type) == ["ftyp", "moov", "mdat"])
        let moov = boxes[1]
        return (moov, try Box.read(moov.content).filter { $0.type == "trak" })
    }

    @Test func noTrackIsShownLongerThanTheFirst() throws {
        let (moov, tracks) = try moov([Self.video, Self.audio])
        #expect(tracks.count == 2)
        // 240,000 ticks a second: a tenth of a second.
        #expect(try moov.child("mvhd").words[3] == 24_000)
        let edits = try tracks.map { try $0.child("edts", "elst").words }
        #expect(edits[0] == [1, 24_000, 200, 0x1_0000])
        let silence: [UInt64] = [12_000, 0xFFFF_FFFF, 0x1_0000]
        #expect(edits[1] == [2] + silence + [12_000, 0, 0x1_0000])
    }

    @Test func audioAloneIsShownInFull() throws {
        var audio = Self.audio
        audio.pause = 0
        let header = MovieHeader(tracks: [audio], createdAt: 0, mediaByteCount: 10)
        let boxes = try Box.read(header.bytes[...])
        #expect(String(decoding: boxes[0].content.prefix(4), as: UTF8.self) == "M4A ")
        let track = try #require(try Box.read(boxes[1].content).last)
        #expect(try boxes[1].child("mvhd").words[3] == 48_000)
        #expect(try Box.read(track.content).map(\.type) == ["tkhd", "mdia"], "nothing is edited")
    }

    @Test func samplesAreFoundBehindTheHeader() throws {
        let header = MovieHeader(
            tracks: [Self.video], createdAt: 0, mediaByteCount: 60)
        let (_, tracks) = try moov([Self.video], media: 60)
        let table = try tracks[0].child("mdia", "minf", "stbl")
        #expect(try table.child("stco").words == [1, UInt64(header.bytes.count)])
        #expect(try table.child("stsz").words == [0, 3, 10, 20, 30])
        #expect(try table.child("stts").words == [1, 3, 100])
        #expect(try table.child("stsc").words == [1, 1, 3, 1])
        let entry = try #require(try Box.read(table.child("stsd").content.dropFirst(8)).first)
        #expect(entry.type == "avc1")
        #expect(Box.number(entry.content.dropFirst(24).prefix(2)) == 320)
    }

    @Test(arguments: [UInt64(UInt32.max) - 100_000, UInt64(UInt32.max) + 1, 1 << 40])
    func offsetsAreLongWhereTheyMustBe(media: UInt64) throws {
        let (_, tracks) = try moov([Self.video], media: media)
        let isLong = media > UInt64(UInt32.max)
        let table = try tracks[0].child("mdia", "minf", "stbl")
        #expect(try Box.read(table.content).last?.type == (isLong ? "co64" : "stco"))
        let header = MovieHeader(
            tracks: [Self.video], createdAt: 0, mediaByteCount: media)
        let head = header.bytes.suffix(isLong ? 16 : 8)
        #expect(Box.number(head.prefix(4)) == (isLong ? 1 : media + 8))
        if isLong { #expect(Box.number(head.suffix(8)) == media + 16) }
    }

    @Test func theSoundsDecoderIsDescribed() throws {
        let (_, tracks) = try moov([Self.audio])
        let descriptions = try tracks[0].child("mdia", "minf", "stbl", "stsd")
        let entry = try #require(try Box.read(descriptions.content.dropFirst(8)).first)
        #expect(entry.type == "mp4a")
        let descriptor = try #require(try Box.read(entry.content.dropFirst(28)).first)
        #expect(descriptor.type == "esds")
        // Peak, average, then the decoder's own part.
        let bytes = Array(descriptor.content)
        #expect(bytes.suffix(7) == [5, 2, 0x11, 0x90, 6, 1, 2])
        #expect(Box.number(bytes.dropFirst(16).prefix(4)) == 96_000)
        #expect(Box.number(bytes.dropFirst(20).prefix(4)) == 64_000)
    }
}
