import Digests
import Testing

@testable import Tokens

@Suite struct PasswordHashTests {
    private let cheap: Scrypt

    init() throws { cheap = try #require(Scrypt(exponent: 4)) }

    @Test func itKnowsItsPasswordAfterItWasWrittenDown() throws {
        let hash = try #require(PasswordHash(password: "correct horse", cost: cheap))
        let read = try #require(PasswordHash("\(hash)\n"))
        #expect(read == hash)
        #expect(read.isOf("correct horse"))
        #expect(!read.isOf("correct horsf"))
        #expect(!read.isOf(""))
    }

    @Test func theTextHasThePHCForm() throws {
        let salt = [UInt8](repeating: 0xFF, count: 16)
        let hash = try #require(PasswordHash(password: "a", cost: cheap, salt: salt))
        let parts = "\(hash)".split(separator: "$")
        #expect(parts.prefix(3) == ["scrypt", "ln=4,r=8,p=1", "/////////////////////w"])
        #expect(!"\(hash)".contains("=\n") && parts.count == 4)
    }

    @Test func twoHashesOfOnePasswordDiffer() throws {
        let one = try #require(PasswordHash(password: "correct horse", cost: cheap))
        #expect(PasswordHash(password: "correct horse", cost: cheap) != one)
    }

    @Test func theStandardCostIsThatOfTheDocuments() throws {
        let hash = try #require(PasswordHash(password: "correct horse"))
        #expect("\(hash)".hasPrefix("$scrypt$ln=15,r=8,p=1$"))
    }

    /// Each cut of a text is refused, and so is what costs too much.
    @Test func nothingElseIsAHash() throws {
        let text = "\(try #require(PasswordHash(password: "a", cost: cheap)))"
        for length in 0..<text.count {
            #expect(PasswordHash(String(text.prefix(length))) == nil, "\(length)")
        }
        for other in [
            "correct horse", "$$$$", text + "$", text + "A",
            text.replacing("ln=4", with: "ln=40"), text.replacing("ln=4", with: "ln=-4"),
            text.replacing("r=8", with: "r=80000000"), text.replacing("p=1", with: "p=99"),
            text.replacing("scrypt", with: "md5"), String(repeating: "$", count: 100_000),
        ] {
            #expect(PasswordHash(other) == nil, "\(other.prefix(80))")
        }
    }
}
