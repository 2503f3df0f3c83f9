public import Digests
import MediaKernel

/// A password as it is kept: a salted slow hash, in one line of the form `$scrypt$ln=15,r=8,p=1$salt$hash`
/// (the PHC string format).
public struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
    private let cost: Scrypt
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Longer texts are no hashes of ours.
    public static let textBytesMaximum = 256
    /// Shorter passwords can be guessed, in spite of the limits.
    public static let passwordCharactersMinimum = 12
    public static let passwordBytesMaximum = 1024
    private static let saltBytes = 16

    /// - Returns: nil without random numbers or memory.
    public init?(password: String, cost: Scrypt = .standard) {
        guard let salt = SecretBytes.random(Self.saltBytes) else { return nil }
        self.init(password: password, cost: cost, salt: salt)
    }

    init?(password: String, cost: Scrypt, salt: [UInt8]) {
        let hash = cost.hash(Array(password.utf8), salt: salt)
        guard !hash.isEmpty else { return nil }
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    /// Nil for a text that is none. Spaces and line ends around it do not matter.
    public init?(_ text: String) {
        let text = text.utf8.prefix(Self.textBytesMaximum + 1)
        guard text.count <= Self.textBytesMaximum else { return nil }
        let parts = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
            .split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == Self.name,
            let cost = Self.cost(parts[2]), let salt = Base64.bytes(parts[3]),
            salt.count == Self.saltBytes, let hash = Base64.bytes(parts[4]),
            hash.count == Scrypt.byteCount
        else { return nil }
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    private static let name = "scrypt"

    private static func cost(_ text: Substring) -> Scrypt? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].hasPrefix("ln="), fields[1] == "r=8",
            fields[2] == "p=1", let exponent = Int(fields[0].dropFirst(3))
        else { return nil }
        return Scrypt(exponent: exponent)
    }

    /// Takes the same time wherever a wrong password differs; some tenth of a second.
    public func isOf(_ password: String) -> Bool {
        SecretBytes.areEqual(cost.hash(Array(password.utf8), salt: salt), hash)
    }

    public var description: String {
        "$\(Self.name)$ln=\(cost.exponent),r=8,p=1$\(Self.text(salt))$\(Self.text(hash))"
    }

    /// Base 64 without padding, as the format has it.
    private static func text(_ bytes: [UInt8]) -> String {
        Base64URL.text(bytes).replacing("-", with: "+").replacing("_", with: "/")
    }
}
