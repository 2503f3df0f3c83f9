/// Errors of a remote description or a caller. The connection is unchanged.
public enum PeerConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description could not be parsed; the text says where.
    case malformedDescription(String)
    /// The description lacks something required for a connection.
    case missing(String)
    /// The answer does not match its offer.
    case mismatchedAnswer(String)
    /// An answer arrived without an outstanding offer.
    case unexpectedAnswer
    /// An offer arrived while one of ours is outstanding. RFC 8829 sect. 4.1.8.2 (glare).
    case unexpectedOffer
    /// The remote certificate fingerprint changed, which would need a new DTLS session.
    case changedFingerprint
    /// The section is not free for the track, or the remote side supports none of its codecs there.
    case mismatchedTrack(section: Int)
    /// A limit of ours was reached.
    case tooMany(what: String, maximum: Int)
    /// The secure transport could not be created; a fault on our side.
    case transport(String)

    public var description: String {
        switch self {
        case .malformedDescription(let what): "malformed session description: \(what)"
        case .missing(let what): "the session description has no \(what)"
        case .mismatchedAnswer(let what): "the answer does not match the offer: \(what)"
        case .unexpectedAnswer: "there is no offer to answer"
        case .unexpectedOffer: "an offer of ours is still unanswered"
        case .changedFingerprint: "the certificate fingerprint changed in mid-session"
        case .mismatchedTrack(let section): "section \(section) cannot take the track"
        case .tooMany(let what, let maximum): "more than \(maximum) \(what)"
        case .transport(let what): "secure transport: \(what)"
        }
    }
}
