internal import MediaKernel

/// The recipients of a message or request. The sender is not among them.
struct Addressees: Sendable {
    var audience: Audience
    /// Nil for the operator.
    var sender: PeerID?
    /// Restricts the recipients to publishers of such tracks.
    var mutes: MuteRequest?

    func include(_ peer: Peer) -> Bool {
        guard peer.hasJoined, peer.id != sender, mutes?.concerns(peer) ?? true else { return false }
        switch audience {
        case .everybody: return true
        case .roles(let names): return names.contains(peer.role)
        case .peer(let id): return id == peer.id
        }
    }
}
