import Foundation
import MediaKernel
import Testing
import Workbench

@testable import Tokens

@Suite struct TokenAuthorityTests {
    let now = UnixTime(seconds: 1_760_000_000)

    @Test func aRoomTokenSaysWhoMayJoinWhichRoom() async throws {
        let authority = try TestToken.authority()
        let token = try authority.makeRoomToken(
            room: "demo", user: "ann", role: "host", at: now, lifetime: .seconds(60))
        let claims = try await authority.verifyRoomToken(token, at: now)
        #expect(claims.room == "demo")
        #expect(claims.user == "ann")
        #expect(claims.role == "host")
        #expect(claims.issuedAt == now)
        #expect(claims.expiresAt == now + .seconds(60))
        #expect(claims.tokenID.utf8.count == 36)
    }

    @Test func aTokenHoldsTheClaimsThat100msUses() async throws {
        let authority = try TestToken.authority()
        let token = try authority.makeRoomToken(
            room: "demo", user: "ann", role: "host", at: now)
        let claims = try TestToken.claims(of: token)
        #expect(claims["access_key"] as? String == "key")
        #expect(claims["room_id"] as? String == "demo")
        #expect(claims["user_id"] as? String == "ann")
        #expect(claims["role"] as? String == "host")
        #expect(claims["type"] as? String == "app")
        #expect(claims["version"] as? Int == 2)
        #expect(claims["iat"] as? Int == 1_760_000_000)
        #expect(claims["nbf"] as? Int == 1_760_000_000)
        #expect(claims["exp"] as? Int == 1_760_086_400)
        #expect(claims.count == 10)
        let management = try TestToken.claims(
            of: try authority.makeManagementToken(at: now))
        #expect(management["type"] as? String == "management")
        #expect(management["room_id"] == nil)
        #expect(management.count == 7)
    }

    @Test func aReplacedKeyIsThatOfAllCopies() async throws {
        let authority = try TestToken.authority()
        let copy = authority
        let old = try authority.makeRoomToken(room: "demo", user: "ann", role: "host", at: now)
        try authority.replaceKey(accessKey: "key", secret: String(repeating: "n", count: 32))
        await #expect(throws: TokenError.signatureInvalid) {
            try await copy.verifyRoomToken(old, at: now)
        }
        let new = try copy.makeRoomToken(room: "demo", user: "ann", role: "host", at: now)
        _ = try await authority.verifyRoomToken(new, at: now)
        try copy.replaceKey(accessKey: "other", secret: String(repeating: "n", count: 32))
        await #expect(throws: TokenError.wrongAccessKey) {
            try await authority.verifyRoomToken(new, at: now)
        }
        #expect(throws: TokenKeyError.secretTooShort(byteCount: 5, minimum: 32)) {
            try authority.replaceKey(accessKey: "key", secret: "short")
        }
        #expect(authority.accessKey == "other")
    }

    @Test func aTokenForRecordingsIsForNothingElse() async throws {
        let authority = try TestToken.authority()
        let token = try authority.makeRecordingsToken(at: now, lifetime: .seconds(60))
        #expect(try authority.verifyRecordingsToken(token, at: now).expiresAt == now + .seconds(60))
        #expect(throws: TokenError.wrongType(found: "recordings", expected: "management")) {
            try authority.verifyManagementToken(token, at: now)
        }
        await #expect(throws: TokenError.wrongType(found: "recordings", expected: "app")) {
            try await authority.verifyRoomToken(token, at: now)
        }
        #expect(throws: TokenError.expired(at: now + .seconds(60))) {
            try authority.verifyRecordingsToken(token, at: now + .seconds(60))
        }
        let management = try authority.makeManagementToken(at: now)
        #expect(throws: TokenError.wrongType(found: "management", expected: "recordings")) {
            try authority.verifyRecordingsToken(management, at: now)
        }
    }

    /// 100ms' web SDK decodes it with `atob`, as base64 of Latin-1.
    @Test func whoeverATokenIsForItsPayloadIsBase64AndASCII() async throws {
        let authority = try TestToken.authority()
        let users =
            ["Анна", "Zoë", "名前", "👩‍🚀", "a>b?c~d", "\u{7F}", #""\/"#, "a\nb"]
            + (0..<96).map { String(repeating: "Ж", count: $0 % 9 + 1) + "?>~\($0)" }
            + (0x20..<0x17F).compactMap(UnicodeScalar.init).map { "x\($0)\($0)\($0)\($0)" }
        for user in users {
            let token = try authority.makeRoomToken(
                room: "demo", user: user, role: "host", at: now)
            let payload = try #require(token.split(separator: ".").dropFirst().first)
            #expect(!payload.contains { "-_".contains($0) }, "of \(user)")
            let padding = String(repeating: "=", count: (4 - payload.count % 4) % 4)
            let json = try #require(Data(base64Encoded: "\(payload)\(padding)"))
            #expect(json.allSatisfy { $0 < 0x80 }, "of \(user)")
            #expect(try await authority.verifyRoomToken(token, at: now).user == user)
        }
    }

    @Test func aTokenOfTheLongestNamesIsTaken() async throws {
        let authority = try TestToken.authority()
        let name = String(repeating: "?", count: TokenAuthority.claimBytesMaximum)
        let token = try authority.makeRoomToken(
            room: RoomID(String(repeating: "r", count: 64)), user: name, role: name, at: now)
        #expect(try await authority.verifyRoomToken(token, at: now).role == name)
    }

    @Test func aTokenSignedElsewhereWithTheSameSecretIsAccepted() async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(TestToken.room(at: now), secret: TestToken.secret)
        #expect(try await authority.verifyRoomToken(token, at: now).user == "u1")
    }

    @Test func theLifeOfATokenIsLimited() async throws {
        let authority = try TestToken.authority()
        let token = try authority.makeManagementToken(
            at: now, lifetime: .seconds(1_000_000_000))
        let claims = try authority.verifyManagementToken(token, at: now)
        #expect(claims.expiresAt == now + .seconds(90 * 86_400))
    }

    /// Each case changes one thing about a good room token.
    static let refusals: [(String, String, TokenError)] = [
        ("access_key", #""other""#, .wrongAccessKey),
        ("access_key", "null", .claimMissing("access_key")),
        ("type", #""management""#, .wrongType(found: "management", expected: "app")),
        ("type", "null", .claimMissing("type")),
        ("version", "1", .wrongVersion(1)),
        ("version", "null", .claimMissing("version")),
        ("exp", "1759999999", .expired(at: UnixTime(seconds: 1_759_999_999))),
        ("exp", "1760000000", .expired(at: UnixTime(seconds: 1_760_000_000))),
        ("exp", "null", .claimMissing("exp")),
        ("exp", "-5", .claimInvalid("exp")),
        ("exp", "1e300", .claimInvalid("exp")),
        ("nbf", "1760000061", .notYetValid(from: UnixTime(seconds: 1_760_000_061))),
        ("nbf", "-1e300", .claimInvalid("nbf")),
        ("room_id", "null", .claimMissing("room_id")),
        ("room_id", #""../etc""#, .claimInvalid("room_id")),
        ("user_id", #""""#, .claimInvalid("user_id")),
        ("role", "null", .claimMissing("role")),
        ("jti", "\"\(String(repeating: "x", count: 256))\"", .claimInvalid("jti")),
        ("app_id", #""other""#, .claimInvalid("app_id")),
        ("customer_id", #""other""#, .claimInvalid("customer_id")),
    ]

    @Test(arguments: refusals)
    func aWrongClaimIsRefusedByName(claim: String, value: String, error: TokenError) async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(
            TestToken.room(at: now, changing: claim, to: value), secret: TestToken.secret)
        await #expect(throws: error) { try await authority.verifyRoomToken(token, at: now) }
    }

    /// The claims that a management token has too.
    static let managementRefusals = refusals.filter { claim, _, _ in
        ["access_key", "version", "exp", "nbf"].contains(claim)
    }

    @Test(arguments: managementRefusals)
    func aWrongClaimOfAManagementTokenIsRefusedByName(
        claim: String, value: String, error: TokenError
    ) throws {
        let authority = try TestToken.authority()
        let claims = TestToken.room(at: now, changing: claim, to: value)
            .replacing(#""type":"app""#, with: #""type":"management""#)
        let token = TestToken.make(claims, secret: TestToken.secret)
        #expect(throws: error) { try authority.verifyManagementToken(token, at: now) }
    }

    /// 100ms' own server SDKs omit the claim if their caller names no user.
    @Test func whoIsNotNamedIsTheTokensID() async throws {
        let authority = try TestToken.authority()
        let unnamed = TestToken.room(at: now, changing: "user_id", to: "null")
        let claims = try await authority.verifyRoomToken(
            TestToken.make(unnamed, secret: TestToken.secret), at: now)
        #expect(claims.user == "x" && claims.tokenID == "x")
        let nobody = unnamed.replacing(#""jti""#, with: #""other""#)
        await #expect(throws: TokenError.claimMissing("user_id")) {
            try await authority.verifyRoomToken(
                TestToken.make(nobody, secret: TestToken.secret), at: now)
        }
    }

    @Test func tokensWithoutAnIDAreToldApart() async throws {
        let authority = try TestToken.authority()
        var ids: Set<String> = []
        for user in ["null", #""u2""#] {
            var claims = TestToken.room(at: now, changing: "jti", to: "null")
            if user != "null" { claims.replace(#""u1""#, with: user) }
            let token = TestToken.make(claims, secret: TestToken.secret)
            ids.insert(try await authority.verifyRoomToken(token, at: now).tokenID)
        }
        #expect(ids.count == 2 && !ids.contains(""))
    }

    @Test(arguments: ["app_id", "customer_id"])
    func anOwnerThatIsOursIsAccepted(claim: String) async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(
            TestToken.room(at: now, changing: claim, to: #""key""#), secret: TestToken.secret)
        _ = try await authority.verifyRoomToken(token, at: now)
    }

    @Test func aTokenSlightlyFromTheFutureIsAccepted() async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(
            TestToken.room(at: now, changing: "nbf", to: "1760000060"), secret: TestToken.secret)
        _ = try await authority.verifyRoomToken(token, at: now)
    }

    @Test func aTokenWithAnotherSecretIsRefused() async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(TestToken.room(at: now), secret: "wrong")
        await #expect(throws: TokenError.signatureInvalid) {
            try await authority.verifyRoomToken(token, at: now)
        }
        #expect(throws: TokenError.signatureInvalid) {
            try authority.verifyManagementToken(token, at: now)
        }
    }

    @Test(arguments: ["none", "None", "HS512", "RS256", ""])
    func anAlgorithmOtherThanHS256IsRefused(name: String) async throws {
        let authority = try TestToken.authority()
        for signature in [nil, TestToken.secret] {
            let token = TestToken.make(
                TestToken.room(at: now), secret: signature, algorithm: name)
            await #expect(throws: TokenError.algorithmNotAllowed(name)) {
                try await authority.verifyRoomToken(token, at: now)
            }
            #expect(throws: TokenError.algorithmNotAllowed(name)) {
                try authority.verifyManagementToken(token, at: now)
            }
        }
    }

    @Test func aTokenWithoutSignatureIsRefused() async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(TestToken.room(at: now), secret: nil, algorithm: "HS256")
        await #expect(throws: TokenError.signatureInvalid) {
            try await authority.verifyRoomToken(token, at: now)
        }
    }

    /// RFC 7515 sect. 4.1.11.
    @Test func aTokenWhoseHeaderNamesWhatMustBeUnderstoodIsRefused() async throws {
        let authority = try TestToken.authority()
        let token = TestToken.make(
            TestToken.room(at: now), secret: TestToken.secret,
            algorithm: #"HS256","crit":["b64"],"b64":false,"x":""#)
        await #expect(
            throws: TokenError.malformed("its header has crit, which names nothing known")
        ) {
            try await authority.verifyRoomToken(token, at: now)
        }
    }

    @Test func aManagementTokenDoesNotOpenARoomNorTheOtherWayRound() async throws {
        let authority = try TestToken.authority()
        let management = try authority.makeManagementToken(at: now)
        await #expect(throws: TokenError.wrongType(found: "management", expected: "app")) {
            try await authority.verifyRoomToken(management, at: now)
        }
        let room = try authority.makeRoomToken(
            room: "demo", user: "u", role: "host", at: now)
        #expect(throws: TokenError.wrongType(found: "app", expected: "management")) {
            try authority.verifyManagementToken(room, at: now)
        }
    }

    @Test func aKeyTooShortForHS256IsRefused() {
        #expect(throws: TokenKeyError.secretTooShort(byteCount: 31, minimum: 32)) {
            try TokenAuthority(
                accessKey: "key", secret: String(repeating: "x", count: 31))
        }
        #expect(throws: TokenKeyError.accessKeyEmpty) {
            try TokenAuthority(accessKey: "", secret: TestToken.secret)
        }
    }

    @Test func everyTruncationOfATokenIsRefused() async throws {
        let authority = try TestToken.authority()
        let token = try authority.makeRoomToken(
            room: "demo", user: "u", role: "host", at: now)
        // The last character of a signature has two unused bits.
        for length in 0..<token.utf8.count - 1 {
            await #expect(throws: TokenError.self) {
                try await authority.verifyRoomToken(String(token.prefix(length)), at: now)
            }
        }
    }

    @Test func mutatedTokensAreRefusedWithoutTrapping() async throws {
        let authority = try TestToken.authority()
        let token = Array(
            try authority.makeRoomToken(room: "demo", user: "u", role: "host", at: now).utf8)
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            var bytes = token
            let at = Int(random.next() % UInt64(bytes.count - 1))
            let value = UInt8(truncatingIfNeeded: random.next() & 0x7f)
            guard bytes[at] != value else { continue }
            bytes[at] = value
            let text = String(decoding: bytes, as: UTF8.self)
            await #expect(throws: TokenError.self) {
                try await authority.verifyRoomToken(text, at: now)
            }
        }
    }

    @Test func theOtherAlphabetOfBase64IsRefused() async throws {
        let authority = try TestToken.authority()
        // Signatures contain such characters by chance, so a few tokens are needed.
        for user in 0..<50 {
            let token = try authority.makeRoomToken(
                room: "demo", user: "u\(user)", role: "host", at: now)
            let other = token.replacing("-", with: "+").replacing("_", with: "/")
            guard other != token else { continue }
            await #expect(throws: TokenError.self) {
                try await authority.verifyRoomToken(other, at: now)
            }
        }
    }

    @Test(arguments: [
        ("", TokenError.missing), ("a.b", .malformed("it has 2 parts, not 3")),
        ("....", .malformed("it has 5 parts, not 3")),
    ])
    func somethingElseThanATokenIsRefused(text: String, error: TokenError) async throws {
        let authority = try TestToken.authority()
        await #expect(throws: error) { try await authority.verifyRoomToken(text, at: now) }
        #expect(throws: error) { try authority.verifyManagementToken(text, at: now) }
    }

    @Test func aTokenOfAbsurdLengthIsRefusedUnread() async throws {
        let authority = try TestToken.authority()
        let text = String(repeating: "a", count: TokenAuthority.tokenBytesMaximum + 1)
        await #expect(throws: TokenError.malformed("longer than 8192 bytes")) {
            try await authority.verifyRoomToken(text, at: now)
        }
    }
}

extension TestToken {
    fileprivate static func authority() throws -> TokenAuthority {
        try TokenAuthority(accessKey: "key", secret: secret)
    }
}
