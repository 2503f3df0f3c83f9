import MediaKernel
import Signing
import Testing

@Suite struct AssetLinkTests {
    private static let now = UnixTime(seconds: 1_770_000_000)
    private static let later = UnixTime(seconds: 1_770_086_400)

    private func key(_ byte: UInt8 = 7) throws -> SigningKey {
        try #require(
            SigningKey(secret: [UInt8](repeating: byte, count: 32), purpose: .assetLinks))
    }

    private func refusal(
        _ component: String, _ key: SigningKey, at now: UnixTime = Self.now
    ) -> AssetLink.Refusal? {
        do throws(AssetLink.Refusal) {
            _ = try AssetLink(verifying: component, with: key, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func aLinkIsGoodUntilItsLastSecond() throws {
        let link = try #require(AssetLink(asset: "01a1-fb_8e", expiry: Self.later))
        let component = link.signed(with: try key())
        #expect(component.hasPrefix("01a1-fb_8e.1770086400."))
        // Valid in a path's component, whatever the signature is.
        #expect(component.utf8.allSatisfy { $0 > 0x2C && $0 < 0x7B && $0 != 0x2F })
        #expect(try AssetLink(verifying: component, with: try key(), at: Self.now) == link)
        let last = UnixTime(nanoseconds: Self.later.nanoseconds - 1)
        #expect(refusal(component, try key(), at: last) == nil)
        #expect(refusal(component, try key(), at: Self.later) == .expired(Self.later))
    }

    @Test func aReplacedSecretIsThatOfAllCopies() throws {
        let link = try #require(AssetLink(asset: "asset1", expiry: Self.later))
        let (signing, verifying) = { ($0, $0) }(try key())
        let old = link.signed(with: signing)
        signing.replaceSecret([UInt8](repeating: 8, count: 32))
        #expect(refusal(old, verifying) != nil)
        #expect(refusal(link.signed(with: verifying), try key(8)) == nil)
        signing.replaceSecret([1])
        #expect(refusal(link.signed(with: verifying), try key(8)) == nil)
    }

    @Test func whateverIsChangedTheLinkIsRefused() throws {
        let link = try #require(AssetLink(asset: "asset1", expiry: Self.later))
        let component = Array(link.signed(with: try key()).utf8)
        var random = SeededRandom(seed: 5)
        for index in component.indices {
            for _ in 0..<20 {
                var changed = component
                changed[index] = UInt8.random(in: 32...126, using: &random)
                guard changed != component else { continue }
                let text = String(decoding: changed, as: UTF8.self)
                #expect(refusal(text, try key()) != nil, "\(text)")
            }
            let shorter = String(decoding: component[..<index], as: UTF8.self)
            #expect(refusal(shorter, try key()) != nil)
        }
        let text = String(decoding: component, as: UTF8.self)
        #expect(refusal(text + "A", try key()) != nil)
        #expect(refusal(text, try key(8)) == .wrongSignature)
    }

    @Test func aKeyForAnotherPurposeSignsOtherLinks() throws {
        let key = try key()
        let pages = key.derived(for: .recordingPages)
        let link = try #require(AssetLink(asset: "asset1", expiry: Self.later))
        #expect(refusal(link.signed(with: pages), key) == .wrongSignature)
        #expect(refusal(link.signed(with: key), pages) == .wrongSignature)
        #expect(refusal(link.signed(with: pages), key.derived(for: .recordingPages)) == nil)
    }

    @Test func anExpiryThatIsPutOffIsNotSigned() throws {
        let link = try #require(AssetLink(asset: "asset1", expiry: Self.later))
        let signature = link.signed(with: try key()).split(separator: ".")[2]
        #expect(refusal("asset1.1870086400.\(signature)", try key()) == .wrongSignature)
        // Several spellings of one number would be several links.
        #expect(refusal("asset1.01770086400.\(signature)", try key()) == .malformed)
        #expect(refusal("asset1.+1770086400.\(signature)", try key()) == .malformed)
        #expect(refusal("asset1.99999999999999999.\(signature)", try key()) == .malformed)
    }

    @Test(arguments: ["", "a/b", "..", "a.b", "ä", "a b", String(repeating: "a", count: 129)])
    func anIDThatAPathCannotHoldHasNoLink(asset: String) {
        #expect(AssetLink(asset: asset, expiry: Self.later) == nil)
    }

    @Test func aShortSecretMakesNoKey() {
        let short = [UInt8](repeating: 1, count: 31)
        #expect(SigningKey(secret: short, purpose: .assetLinks) == nil)
    }
}
