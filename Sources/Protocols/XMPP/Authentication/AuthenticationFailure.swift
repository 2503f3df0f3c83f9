/// Why we could not authenticate.
public enum AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server offers none of the mechanisms that we may use. Has what it offers.
    case noMechanism(offered: [String])
    /// The condition of RFC 6120 sect. 6.5, such as `not-authorized`.
    case refused(String)
    /// The server does not know the password, or breaks the mechanism's rules.
    case untrustworthy(String)

    public var description: String {
        switch self {
        case .noMechanism(let offered):
            "none of the offered mechanisms may be used: \(offered.joined(separator: ", "))"
        case .refused(let condition): "the server refused the account: \(condition)"
        case .untrustworthy(let what): "the server cannot be trusted: \(what)"
        }
    }
}
