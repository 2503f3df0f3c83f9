/// The reason why a datagram, a candidate or a message was refused. No error ends the agent: the
/// driver counts it and drops the input.
public enum ICEError: Error, Hashable, Sendable {
    /// Not a STUN message, or cut short.
    case malformedMessage(reason: String)
    /// A `candidate:` line that violates RFC 8839 sect. 5.1.
    case malformedCandidate(reason: String)
    /// The candidate names a host, such as the `.local` names of RFC 8828's mDNS drafts. Roomcast
    /// does not resolve names: the peer's own checks show its address.
    case unresolvableHost(String)
    /// FINGERPRINT is present and wrong: the bytes are damaged or not STUN. RFC 8489 sect. 14.7.
    case fingerprintMismatch
    /// USERNAME or MESSAGE-INTEGRITY is missing. RFC 8489 sect. 9.1.3.
    case missingCredentials
    /// USERNAME is for another session.
    case unknownUsername
    /// MESSAGE-INTEGRITY does not match the password.
    case wrongPassword
    /// A request with unknown required attributes. It was answered with 420.
    case unknownAttributes([UInt16])
    /// Both sides claimed the same role. It was answered with 487. RFC 8445 sect. 7.3.1.1.
    case roleConflict
    /// A response to no known request, or from another address.
    case unexpectedResponse
    /// A STUN method or class that ICE does not use.
    case unexpectedMessage
}

/// Limits on everything an agent stores.
public enum ICELimits {
    /// A check has under 200 bytes; no honest message comes near.
    public static let messageBytesMaximum = 1500
    public static let attributesPerMessageMaximum = 32
    /// RFC 8445 sect. 6.1.2.5 suggests 100 pairs; with one socket a pair is a remote candidate.
    public static let remoteCandidatesMaximum = 64
    public static let localCandidatesMaximum = 32
    /// Requests of ours that await a response.
    public static let transactionsMaximum = 128
    /// A `candidate:` line; browsers write about 150 bytes.
    public static let candidateBytesMaximum = 512
}
