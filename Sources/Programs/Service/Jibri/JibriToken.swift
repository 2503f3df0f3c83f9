import Digests
import Foundation
import Jibri
import MediaKernel

/// The bearer token of webhooks: a JWT by RS256, with the claims of Jitsi's `RefreshingJwt`.
struct JibriToken: Sendable {
    private struct Head: Encodable {
        let alg = "RS256"
        let kid: String
        let typ = "JWT"
    }

    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let iss: String
    }

    private let signing: JibriSigning
    private let key: RSAKey

    /// Nil for a text that is no RSA key.
    init?(_ signing: JibriSigning, key pem: [UInt8]) {
        guard let key = RSAKey(pem: pem) else { return nil }
        self.signing = signing
        self.key = key
    }

    /// Nil while the process ends.
    func text(at time: UnixTime) -> String? {
        let expiry = (time + signing.lifetime).seconds
        let parts = [
            Self.part(Head(kid: signing.keyID)),
            Self.part(Claims(aud: signing.audience, exp: expiry, iss: signing.issuer)),
        ].joined(separator: ".")
        return key.signature(of: Array(parts.utf8)).map { "\(parts).\(Base64URL.text($0))" }
    }

    private static func part(_ value: some Encodable) -> String {
        Base64URL.text(StableJSON.bytes(value))
    }
}
