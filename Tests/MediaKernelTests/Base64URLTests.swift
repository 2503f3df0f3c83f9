import MediaKernel
import Testing

@Suite struct Base64URLTests {
    /// RFC 4648 sect. 10, without padding.
    private static let vectors = [
        ("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"),
        ("Zm9vYmE", "fooba"), ("Zm9vYmFy", "foobar"),
    ]

    @Test(arguments: vectors) func isReadAndWritten(_ vector: (String, String)) {
        #expect(Base64URL.bytes(vector.0) == Array(vector.1.utf8))
        #expect(Base64URL.text(Array(vector.1.utf8)) == vector.0)
    }

    @Test func everyByteComesBackAtEveryPlace() {
        for length in 1...4 {
            for byte in UInt8.min...UInt8.max {
                for place in 0..<length {
                    var bytes = [UInt8](repeating: 0xA5, count: length)
                    bytes[place] = byte
                    #expect(Base64URL.bytes(Base64URL.text(bytes)) == bytes)
                }
            }
        }
    }

    /// "Zh" and "Zm9" leave nonzero bits after the last byte.
    @Test(arguments: [
        "Z", "Zm9vY", "Zg==", "Zg=", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm 9v", "Zm9v\n", "Zmé", "\0\0",
    ]) func textThatNoBytesHaveIsRefused(_ text: String) {
        #expect(Base64URL.bytes(text) == nil)
    }
}
