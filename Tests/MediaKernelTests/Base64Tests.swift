import MediaKernel
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 sect. 10.
    private static let vectors = [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
        ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"),
    ]

    @Test(arguments: vectors) func isReadWithItsPaddingAndWithout(_ vector: (String, String)) {
        #expect(Base64.bytes(vector.0) == Array(vector.1.utf8))
        #expect(Base64.bytes(vector.0.filter { $0 != "=" }) == Array(vector.1.utf8))
    }

    @Test func everyDigitHasItsValue() {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let bytes = Base64.bytes(digits) ?? []
        #expect(bytes.count == 48)
        #expect(bytes.prefix(6) == [0x00, 0x10, 0x83, 0x10, 0x51, 0x87])
        #expect(bytes.suffix(3) == [0xF3, 0xDF, 0xBF])
    }

    @Test(arguments: [
        "Z", "Zm9vY", "Zg=", "Zg===", "Zm9v=", "Zm8==", "=", "====", "Z=g=", "Zm-v", "Zm_v",
        "Zm 9v",
        "Zm9v\n", "Zmé=",
    ]) func whatIsNoneIsRefused(_ text: String) {
        #expect(Base64.bytes(text) == nil)
    }
}
