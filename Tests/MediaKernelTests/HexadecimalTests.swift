import MediaKernel
import Testing

@Suite struct HexadecimalTests {
    @Test func everyByteHasTwoDigits() {
        #expect(Hexadecimal.text([0, 9, 0x0A, 0xFF]) == "00090aff")
        #expect(Hexadecimal.text([0, 0xAB], uppercase: true, separator: ":") == "00:AB")
        #expect(Hexadecimal.text([UInt8]()) == "")
    }

    @Test func aNumberHasTheDigitsOfItsType() {
        #expect(Hexadecimal.text(UInt8(0x0C), uppercase: true) == "0C")
        #expect(Hexadecimal.text(UInt16(0xE9)) == "00e9")
        #expect(Hexadecimal.text(UInt32(0)) == "00000000")
        #expect(Hexadecimal.text(UInt64.max) == "ffffffffffffffff")
    }

    @Test func whatIsWrittenIsReadInEitherCase() {
        let bytes = (UInt8.min...UInt8.max).map { $0 }
        #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
        #expect(Hexadecimal.bytes(Hexadecimal.text(bytes, uppercase: true)) == bytes)
        #expect(Hexadecimal.bytes("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "+1", "-1", " 1", "0x", "００", "é", "a\u{301}"])
    func whatIsNoBytesIsNotRead(_ text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test func digitsAreThoseOfASCII() {
        let digits = (UInt8.min...UInt8.max).filter { Hexadecimal.value($0) != nil }
        #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
        #expect(digits.compactMap { Hexadecimal.value($0) }.suffix(6) == [10, 11, 12, 13, 14, 15])
    }

    @Test func identifiersHave24Digits() {
        var random = SeededRandom(seed: 1)
        let ids = Set((0..<100).map { _ in Hexadecimal.identifier(using: &random) })
        #expect(ids.count == 100)
        #expect(ids.allSatisfy { $0.utf8.count == 24 && Hexadecimal.bytes($0) != nil })
    }
}
