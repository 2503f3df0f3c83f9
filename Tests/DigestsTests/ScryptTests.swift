import Digests
import MediaKernel
import Testing

@Suite struct ScryptTests {
    /// RFC 7914 sect. 12, of which the first half is as long as ours.
    @Test func itIsTheStandards() throws {
        let cost = try #require(Scrypt(exponent: 14))
        let hash = cost.hash(Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8))
        #expect(
            hash
                == Hexadecimal.bytes(
                    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"))
    }

    @Test func anEmptyPasswordHasAHashToo() throws {
        let cost = try #require(Scrypt(exponent: 4))
        #expect(cost.hash([], salt: [1]).count == Scrypt.byteCount)
    }

    /// More would take all memory, less would be no hindrance.
    @Test(arguments: [-1, 0, 3, 19, 64, Int.max]) func anotherCostIsRefused(exponent: Int) {
        #expect(Scrypt(exponent: exponent) == nil)
    }

    @Test func secretsAreComparedWhole() {
        #expect(SecretBytes.areEqual([1, 2], [1, 2]))
        #expect(!SecretBytes.areEqual([1, 2], [1, 3]))
        #expect(!SecretBytes.areEqual([1, 2], [1]))
        // A hash is empty where there was none to be had.
        #expect(!SecretBytes.areEqual([], []))
    }

    @Test func randomBytesDiffer() throws {
        let (one, other) = (try #require(SecretBytes.random(32)), SecretBytes.random(32))
        #expect(one.count == 32 && one != other)
    }
}
