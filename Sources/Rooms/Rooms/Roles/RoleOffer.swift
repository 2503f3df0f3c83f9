public import MediaKernel

/// The polite form of a role change: a role that a peer may take, or not. It ends with the peer's
/// next role, whoever gives it.
public struct RoleOffer: Hashable, Sendable {
    /// Tells the offers of one peer apart. It opens nothing to anybody else.
    public let token: String
    public let role: String
    public let requestedBy: PeerID
    /// When it is over.
    let until: Instant
}
