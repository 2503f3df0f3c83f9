import Digests
import Foundation
import MediaKernel
import XML

/// One attempt to authenticate. RFC 6120 sect. 6.
struct Authentication: Sendable {
    private enum Mechanism {
        case anonymous
        case plain(String)
        case scram(SCRAM)
    }

    private let name: String
    private var mechanism: Mechanism

    /// Takes the strongest mechanism that is offered.
    ///
    /// - Parameters:
    ///   - mayShowPassword: whether PLAIN may be used: the connection is encrypted, or is local.
    ///   - nonce: for SCRAM; new for each attempt.
    init(
        _ credentials: Credentials, offered: [String], mayShowPassword: Bool, nonce: String
    ) throws(AuthenticationFailure) {
        switch credentials {
        case .anonymous:
            guard offered.contains("ANONYMOUS") else { throw .noMechanism(offered: offered) }
            (name, mechanism) = ("ANONYMOUS", .anonymous)
        case .account(let user, let password):
            if offered.contains("SCRAM-SHA-256") {
                name = "SCRAM-SHA-256"
                mechanism = .scram(SCRAM(.sha256, user: user, password: password, nonce: nonce))
            } else if offered.contains("SCRAM-SHA-1") {
                name = "SCRAM-SHA-1"
                mechanism = .scram(SCRAM(.sha1, user: user, password: password, nonce: nonce))
            } else if offered.contains("PLAIN"), mayShowPassword {
                (name, mechanism) = ("PLAIN", .plain("\0\(user)\0\(password)"))
            } else {
                throw .noMechanism(offered: offered)
            }
        }
    }

    /// The element that begins.
    var start: XMLElement {
        let text: String =
            switch mechanism {
            case .anonymous: ""
            case .plain(let text): text
            case .scram(let scram): scram.first
            }
        // An empty answer is "=" here (RFC 6120 sect. 6.4.2).
        let encoded = text.isEmpty ? "=" : Self.encoded(text)
        return XMLElement("auth", Namespaces.sasl, ["mechanism": name], text: encoded)
    }

    /// - Returns: the answer to a challenge; nil when we are authenticated.
    mutating func received(_ element: XMLElement) throws(AuthenticationFailure) -> XMLElement? {
        guard element.namespace == Namespaces.sasl else { throw .untrustworthy("no SASL") }
        switch (element.name, mechanism) {
        case ("failure", _):
            throw .refused(element.elements.first { $0.name != "text" }?.name ?? "not-authorized")
        case ("challenge", .scram(var scram)):
            let answer = try scram.final(try Self.decoded(element.text))
            mechanism = .scram(scram)
            return XMLElement("response", Namespaces.sasl, text: Self.encoded(answer))
        case ("success", .scram(let scram)):
            try scram.verify(try Self.decoded(element.text))
            return nil
        case ("success", _): return nil
        default: throw .untrustworthy("<\(element.name)/> out of turn")
        }
    }

    private static func encoded(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    private static func decoded(_ text: String) throws(AuthenticationFailure) -> String {
        guard let bytes = Base64.bytes(text), let text = String(validating: bytes, as: UTF8.self)
        else { throw .untrustworthy("a message that is no base 64 of text") }
        return text
    }
}
