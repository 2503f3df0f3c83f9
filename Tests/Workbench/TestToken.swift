import Digests
import Foundation
public import MediaKernel

/// Makes valid and invalid tokens by hand, independently of the code under test.
public enum TestToken {
    public static let secret = "a secret of at least thirty-two bytes"

    /// The JSON of a good room token's claims, or of one with a changed or (`null`) removed claim.
    public static func room(
        at now: UnixTime, changing claim: String? = nil, to value: String = ""
    ) -> String {
        var claims = [
            "access_key": #""key""#, "room_id": #""demo""#, "user_id": #""u1""#,
            "role": #""host""#, "type": #""app""#, "version": "2", "iat": "\(now.seconds)",
            "nbf": "\(now.seconds)", "exp": "\(now.seconds + 3600)", "jti": #""x""#,
        ]
        if let claim { claims[claim] = value == "null" ? nil : value }
        return "{\(claims.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    /// - Parameter secret: nil leaves the signature empty.
    public static func make(_ claims: String, secret: String?, algorithm: String = "HS256")
        -> String
    {
        let header = base64URL(Data(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8))
        let signed = "\(header).\(base64URL(Data(claims.utf8)))"
        guard let secret else { return "\(signed)." }
        let signature = MACKey(Array(secret.utf8)).code(of: Array(signed.utf8))
        return "\(signed).\(base64URL(Data(signature)))"
    }

    public static func claims(of token: String) throws -> [String: Any] {
        var text = token.split(separator: ".")[1]
            .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        let data = Data(base64Encoded: text) ?? Data()
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
