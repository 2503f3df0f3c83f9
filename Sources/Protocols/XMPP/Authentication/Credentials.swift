/// Who we are to the server.
public enum Credentials: Sendable {
    /// The server makes the account. RFC 4505.
    case anonymous
    /// - user: the local part of the address.
    case account(user: String, password: String)
}
