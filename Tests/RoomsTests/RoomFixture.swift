import MediaKernel
import Rooms

/// A room with the standard policy and a clock that only the test moves.
struct RoomFixture {
    var room: Room
    var now = Instant.zero

    var wall: UnixTime {
        UnixTime(milliseconds: 1_720_000_000_000 + now.nanoseconds / 1_000_000)
    }

    init(policy: Policy = .standard, limits: RoomLimits = RoomLimits()) {
        room = Room(id: "r1", name: "demo", policy: policy, limits: limits, seed: 1)
    }

    mutating func drain() -> [RoomEffect] {
        var effects: [RoomEffect] = []
        while let effect = room.poll() { effects.append(effect) }
        return effects
    }

    @discardableResult
    mutating func join(
        _ id: PeerID, role: String = "guest", user: String? = nil, token: String = ""
    ) throws -> [RoomEffect] {
        try room.joinRequested(
            JoinRequest(
                peer: id, userID: user ?? "user-\(id)", tokenID: token, role: role,
                name: id.rawValue.uppercased()),
            at: now)
        try room.joinCompleted(id, wall: wall)
        return drain()
    }

    @discardableResult
    mutating func publish(_ tracks: [Track], by id: PeerID) throws -> [RoomEffect] {
        try room.tracksPublished(tracks, by: id, wall: wall)
        return drain()
    }

    /// The reasons why some of these tracks are not published.
    mutating func leftOut(_ tracks: [Track], by id: PeerID) throws -> [RoomError] {
        try room.tracksPublished(tracks, by: id, wall: wall)
    }
}

extension Room {
    /// The tracks that this peer should receive, in the order in which they came.
    func subscriptions(of id: PeerID) -> [Track] {
        guard let viewer = peers[id] else { return [] }
        return peers.publishers.filter { peers.receives(viewer, from: $0) }.flatMap(\.tracks)
    }
}

extension Track {
    static func camera(_ id: TrackID) -> Track {
        Track(id: id, streamID: "s-\(id)", kind: .video)
    }

    static func microphone(_ id: TrackID) -> Track {
        Track(id: id, streamID: "s-\(id)", kind: .audio)
    }
}

extension [RoomEffect] {
    /// The events that this peer received, in order.
    func told(_ peer: PeerID) -> [RoomEvent] {
        compactMap { effect in
            guard case .tell(let peers, let event) = effect, peers.contains(peer) else {
                return nil
            }
            return event
        }
    }

    /// The reasons for this peer's removals.
    func dismissals(of peer: PeerID) -> [Dismissal] {
        compactMap { effect in
            guard case .dismiss(let peers, let dismissal) = effect,
                peers.contains(where: { $0.id == peer })
            else { return nil }
            return dismissal
        }
    }

    var toldPeers: Set<PeerID> {
        Set(
            flatMap { effect -> [PeerID] in
                guard case .tell(let peers, _) = effect else { return [] }
                return peers
            })
    }
}

/// The error that a body throws, or nil.
func roomError(_ body: () throws -> Void) -> RoomError? {
    do {
        try body()
        return nil
    } catch {
        return error as? RoomError
    }
}

extension TokenOwner {
    /// Of a token without an id.
    init(userID: String) { self.init(userID: userID, tokenID: "") }
}
