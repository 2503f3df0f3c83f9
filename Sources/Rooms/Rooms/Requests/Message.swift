public import MediaKernel

/// The recipients of a broadcast.
public enum Audience: Hashable, Sendable {
    case everybody
    case roles([String])
    case peer(PeerID)
}

/// One broadcast as its recipients see it.
public struct Message: Hashable, Sendable {
    public let id: String
    /// Nil when the operator sent it.
    public var sender: Peer?
    public var audience: Audience
    /// `chat` or a client's own type.
    public var type: String
    public var body: OpaqueJSON
    /// The id of the message that it answers.
    public var replyTo: String?
    public var sentAt: UnixTime
}
