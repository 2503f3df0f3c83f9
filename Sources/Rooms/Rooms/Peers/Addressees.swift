internal import MediaKernel

/// Whom something that is said or asked is for. Who sent it is not among them.
struct Addressees: Sendable {
    var audience: Audience
    /// Nil is the operator.
    var sender: PeerID?
    /// Only who publishes what this is about.
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
