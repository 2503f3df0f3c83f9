import MediaKernel
import Testing

@Suite struct CRC32Tests {
    @Test func itIsTheOneOfISO3309() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
        #expect(
            CRC32.checksum(Array("The quick brown fox jumps over the lazy dog".utf8))
                == 0x414F_A339)
    }

    @Test func itIsTheSameHoweverTheBytesComeInPieces() {
        var random = SeededRandom(seed: 7)
        let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
        let whole = CRC32.checksum(bytes)
        for split in bytes.indices {
            var checksum = CRC32()
            checksum.update(bytes[..<split])
            checksum.update(bytes[split...])
            #expect(checksum.value == whole)
        }
    }

    @Test func aSequenceThatIsNoArrayCountsToo() {
        let bytes = [UInt8](repeating: 7, count: 33)
        #expect(
            CRC32.checksum(repeatElement(7, count: 33).lazy.map { UInt8($0) })
                == CRC32.checksum(bytes))
    }
}
