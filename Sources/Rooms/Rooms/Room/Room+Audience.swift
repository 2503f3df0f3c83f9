import MediaKernel

/// Which peers are notified of which others, where many only watch (`docs/PROTOCOL.md` section 6,
/// `room-info`).
///
/// In a large room a newcomer who may publish nothing is quiet: it is in nobody's list, and nobody
/// is told that it comes, changes or leaves. It counts, it is found by those who look for it, and
/// it is shown as soon as it may publish, or raises its hand. Whoever was there before the room was
/// large stays in the lists.
///
/// Clients of 100ms look for whom they do not know only while the room is said to be large. So it
/// is large until everybody has been shown.
extension Room {
    /// The group of those who raise their hands, in 100ms' clients.
    public static let raisedHand = "_handraise"

    /// Those whom everybody is told of, in the order in which they joined.
    public var listedPeers: [Peer] { visiblePeers.filter { !$0.isQuiet } }

    /// Whether a peer that came when the room was large is to be quiet.
    func isOfNoInterest(_ peer: Peer) -> Bool {
        let publishes = policy.role(peer.role)?.publishParams.allowed.isEmpty == false
        return !publishes && !peer.groups.contains(Self.raisedHand)
    }

    /// Somebody is seen who was not.
    mutating func audienceGrew() {
        if peerCount >= limits.largeRoomPeers { isLarge = true }
    }

    /// Where few are left in a large room, shows everybody those who are quiet, some at a time, and
    /// calls it large no more when there are none. They are as those who came before it was large.
    mutating func showQuietPeers() {
        guard isLarge, peerCount < limits.smallRoomPeers else { return }
        let late = peers.values.filter(\.cameLate).inOrder
        let quiet = late.filter(\.isQuiet)
        let recipients = everybody()
        let next: [Peer] = late.filter { !$0.isQuiet } + quiet.prefix(RoomLimits.shownAtOnce)
        for peer in next {
            var shown = peer
            shown.cameLate = false
            shown.isQuiet = false
            peers[peer.id] = shown
            guard peer.isQuiet, peer.isVisible else { continue }
            tell(recipients.filter { $0 != peer.id }, .peerUpdated(shown))
        }
        if !quiet.isEmpty { emit(.refreshPreviews) }
        isLarge = quiet.count > RoomLimits.shownAtOnce
    }

    /// Tells what has changed of a peer: to itself always, because its client takes its own name
    /// and role from this event, and to everybody else who knows of it, or is to from now on. Of one
    /// that nobody may see, nobody.
    mutating func tellUpdated(_ id: PeerID) {
        guard var peer = peers[id], peer.isVisible else { return }
        emit(.refreshPreviews)
        let wasQuiet = peer.isQuiet
        peer.isQuiet = peer.cameLate && isOfNoInterest(peer)
        peers[id] = peer
        guard peer.isQuiet else { return tell(everybody(), .peerUpdated(peer)) }
        tell([peer].reachable, .peerUpdated(peer))
        if !wasQuiet { tell(everybody(except: id), .peerReceded(peer)) }
    }
}
