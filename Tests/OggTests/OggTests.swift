import Testing

@testable import Ogg

@Suite struct OggTests {
    @Test func theChecksumIsThatOfTheStandard() {
        #expect(OggChecksum.of(Array("123456789".utf8)) == 0x89A1_897F)
    }

    @Test(
        arguments: [
            ([0x00], 480), ([0x18], 2880), ([0x60], 480), ([0x68], 960), ([0x80], 120),
            ([0xF8], 960),
            ([0xF9], 1920), ([0xFB, 0x03], 2880),
        ] as [([UInt8], Int64)])
    func aPacketStatesItsLength(_ packet: [UInt8], _ samples: Int64) {
        #expect(OpusPacket.samples(packet) == samples)
    }

    @Test(arguments: [[], [0xFB], [0xFB, 0x00], [0xFB, 0x07]] as [[UInt8]])
    func whatIsNoPacketHasNoLength(_ packet: [UInt8]) {
        #expect(OpusPacket.samples(packet) == nil)
    }

    @Test func pagesLastASecondAndCountSamples() {
        var stream = OpusStream(serial: 7)
        var file = stream.header(channels: 1)
        for _ in 0..<120 { file += stream.add(OpusPacket.silence(isStereo: false), samples: 960) }
        file += stream.finish()
        let pages = Pages(file)
        #expect(pages.granules == [0, 0, 48_000, 96_000, 115_200])
        #expect(pages.flags == [2, 0, 0, 0, 4] && pages.areSound)
    }

    @Test func aPageIsClosedBeforeItsTableIsFull() {
        var stream = OpusStream(serial: 7)
        var file = stream.header(channels: 2)
        let packet = [UInt8(0x80)] + Array(repeating: UInt8(1), count: 1274)
        for _ in 0..<100 { file += stream.add(packet, samples: 120) }
        file += stream.finish()
        let pages = Pages(file)
        // Six segments a packet, 42 packets a page.
        #expect(pages.granules == [0, 0, 5_040, 10_080, 12_000] && pages.areSound)
    }

    /// The pages of a file.
    private struct Pages {
        var granules: [Int64] = []
        var flags: [UInt8] = []
        /// Whether they follow each other, with the right checksums.
        var areSound = true

        init(_ file: [UInt8]) {
            var position = 0
            while position + 27 <= file.count {
                let segments = Int(file[position + 26])
                let table = file[position + 27..<position + 27 + segments]
                let end = position + 27 + segments + table.reduce(0) { $0 + Int($1) }
                var page = Array(file[position..<end])
                func value(_ range: Range<Int>) -> UInt64 {
                    page[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
                }
                let (checksum, number) = (value(22..<26), value(18..<22))
                granules.append(Int64(value(6..<14)))
                flags.append(page[5])
                page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
                areSound =
                    areSound && UInt64(OggChecksum.of(page)) == checksum
                    && number == UInt64(granules.count - 1)
                position = end
            }
            areSound = areSound && position == file.count
        }
    }
}
