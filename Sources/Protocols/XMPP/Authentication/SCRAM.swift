import Digests
import Foundation
import MediaKernel

/// The client's side of SCRAM without channel binding. RFC 5802, and RFC 7677 for SHA-256.
struct SCRAM: Sendable {
    /// A server that asks for fewer iterations wants a password that can be guessed (RFC 7677
    /// sect. 4); one that asks for many more wants our time. The maximum takes a fifth of a second,
    /// and a loop's other connections wait for that long.
    static let iterations = 4096...200_000
    /// Of a message of the server.
    static let messageBytesMaximum = 4096

    let digest: Digest
    private let password: String
    private let nonce: String
    private let bare: String
    private var serverSignature: [UInt8]?

    /// - Parameter nonce: printable, without commas; new for each attempt.
    init(_ digest: Digest, user: String, password: String, nonce: String) {
        self.digest = digest
        self.password = Self.prepared(password)
        self.nonce = nonce
        let name = Self.prepared(user).replacingOccurrences(of: "=", with: "=3D")
            .replacingOccurrences(of: ",", with: "=2C")
        bare = "n=\(name),r=\(nonce)"
    }

    var first: String { "n,,\(bare)" }

    /// The answer to the server's first message.
    mutating func final(_ challenge: String) throws(AuthenticationFailure) -> String {
        guard serverSignature == nil else { throw .untrustworthy("a second challenge") }
        let fields = try Self.fields(challenge)
        guard fields.count >= 3, fields[0].key == "r", fields[1].key == "s", fields[2].key == "i",
            let salt = Base64.bytes(fields[1].value), !salt.isEmpty,
            let iterations = Int(fields[2].value)
        else { throw .untrustworthy("a challenge that SCRAM does not know") }
        guard fields[0].value.hasPrefix(nonce), fields[0].value.utf8.count > nonce.utf8.count else {
            throw .untrustworthy("a challenge for another attempt")
        }
        guard Self.iterations ~= iterations else {
            throw .untrustworthy("\(iterations) iterations")
        }
        guard
            let salted = PasswordKey.derive(
                password, salt: salt, iterations: iterations, digest: digest)
        else { throw .untrustworthy("no key") }
        let unproved = "c=biws,r=\(fields[0].value)"
        let signed = Array("\(bare),\(challenge),\(unproved)".utf8)
        let clientKey = MACKey(salted, digest: digest).code(of: Array("Client Key".utf8))
        let signature = MACKey(digest.hash(clientKey), digest: digest).code(of: signed)
        let proof = zip(clientKey, signature).map { $0 ^ $1 }
        let serverKey = MACKey(salted, digest: digest).code(of: Array("Server Key".utf8))
        serverSignature = MACKey(serverKey, digest: digest).code(of: signed)
        return "\(unproved),p=\(Data(proof).base64EncodedString())"
    }

    /// Checks that the server knows the password too.
    func verify(_ outcome: String) throws(AuthenticationFailure) {
        let fields = try Self.fields(outcome)
        guard let serverSignature, !serverSignature.isEmpty, fields.first?.key == "v",
            fields.first.flatMap({ Base64.bytes($0.value) }) == serverSignature
        else { throw .untrustworthy("it does not know the password") }
    }

    private static func fields(
        _ message: String
    ) throws(AuthenticationFailure) -> [(key: Substring, value: String)] {
        guard message.utf8.count <= messageBytesMaximum else {
            throw .untrustworthy("a message that is too long")
        }
        return message.split(separator: ",", omittingEmptySubsequences: false).map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0], parts.count == 2 ? String(parts[1]) : "")
        }
    }

    /// SASLprep as far as it matters: compatibility forms are composed (RFC 4013 sect. 2.2).
    private static func prepared(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping
    }
}
