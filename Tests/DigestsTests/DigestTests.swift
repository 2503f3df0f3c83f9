import Digests
import MediaKernel
import Testing

@Suite struct DigestTests {
    /// RFC 1321 sect. A.5, RFC 3174 sect. 7.3, and NIST's example of SHA-256.
    @Test(arguments: [
        (Digest.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ])
    func hashesAreThoseOfTheirStandards(digest: Digest, text: String, hash: String) {
        let bytes = Array(text.utf8)
        #expect(Hexadecimal.text(digest.hash(bytes)) == hash)
        #expect(digest.byteCount == hash.utf8.count / 2)
        for cut in 0...bytes.count {
            var running = RunningDigest(digest)
            running.update(Array(bytes[..<cut]))
            running.update(Array(bytes[cut...]))
            #expect(Hexadecimal.text(running.hash) == hash)
        }
    }

    @Test func copiesOfARunningDigestGoOnByThemselves() {
        var one = RunningDigest(.sha256)
        one.update(Array("ab".utf8))
        var other = one
        other.update(Array("x".utf8))
        #expect(one.hash == Digest.sha256.hash(Array("ab".utf8)))
        one.update(Array("c".utf8))
        #expect(one.hash == Digest.sha256.hash(Array("abc".utf8)))
        #expect(one.hash == Digest.sha256.hash(Array("abc".utf8)), "a hash ends nothing")
        #expect(other.hash == Digest.sha256.hash(Array("abx".utf8)))
    }

    /// RFC 2202 sect. 3, RFC 4231 sect. 4.3 and 4.7; and an empty key with an empty message.
    @Test(arguments: [
        (
            Digest.sha1, Array("Jefe".utf8), "what do ya want for nothing?",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            .sha1, [UInt8](repeating: 0xAA, count: 80),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
        (.sha1, [], "", "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"),
        (
            .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            .sha256, [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func codesAreThoseOfTheirStandards(
        digest: Digest, key: [UInt8], message: String, code: String
    ) throws {
        let key = MACKey(key, digest: digest)
        let right = try #require(Hexadecimal.bytes(code))
        #expect(key.code(of: Array(message.utf8)) == right)
        #expect(key.isValid(right, of: Array(message.utf8)))
    }

    @Test func aCodeIsValidForItsMessageAndKeyOnly() {
        let key = MACKey(Array("a key".utf8))
        let message = Array("a message".utf8)
        let code = key.code(of: message)
        #expect(!key.isValid(code, of: message + [0]))
        #expect(!MACKey(Array("another".utf8)).isValid(code, of: message))
        for length in 0..<code.count { #expect(!key.isValid(Array(code[..<length]), of: message)) }
        #expect(!key.isValid(code + [0], of: message))
        for bit in 0..<code.count * 8 {
            var wrong = code
            wrong[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(wrong, of: message))
        }
    }
}
