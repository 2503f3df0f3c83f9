public import MediaKernel

/// The polite form of a role change: a role that a peer may accept or ignore. It ends with the
/// peer's next role change, whatever its cause.
public struct RoleOffer: Hashable, Sendable {
    /// Distinguishes the offers to one peer. It is of no use to other peers.
    public let token: String
    public let role: String
    public let requestedBy: PeerID
    /// When it expires.
    let until: Instant
}
