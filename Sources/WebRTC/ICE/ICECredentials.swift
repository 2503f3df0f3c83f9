/// The username fragment and password of one side. RFC 8445 sect. 5.3.
public struct ICECredentials: Hashable, Sendable {
    /// 4…256 characters of RFC 8839's `ice-char`.
    public var usernameFragment: String
    /// 22…256 characters.
    public var password: String

    public init(usernameFragment: String, password: String) {
        self.usernameFragment = usernameFragment
        self.password = password
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    /// New credentials with 48 bits of fragment and 144 of password (at least 24 and 128 are
    /// required). The generator must be suitable for secrets.
    public static func random(using generator: inout some RandomNumberGenerator) -> ICECredentials {
        func text(_ count: Int, _ generator: inout some RandomNumberGenerator) -> String {
            String((0..<count).map { _ in alphabet[Int(generator.next() & 63)] })
        }
        let fragment = text(8, &generator)
        return ICECredentials(usernameFragment: fragment, password: text(24, &generator))
    }
}
