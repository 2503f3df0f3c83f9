internal import MediaKernel
internal import MediaServer
internal import Rooms
internal import SDP

/// The session of one WHIP client, from its `POST` to its `DELETE`.
struct WHIPSession {
    /// Unguessable, since a client that knows it may end the session. RFC 9725 sect. 5.
    let id: String
    let peer: PeerID
    /// The client's latest offer, or its answer to our offer, with the current ICE generation; nil
    /// until that answer arrives.
    var description: SessionDescription?
    /// The tracks that the client sends, also while its role does not permit them.
    var tracks: [Track] = []
    /// The entity tag of the current ICE generation.
    var entityTag: String
    /// The time at which an unreachable client counts as gone; nil while it is connected.
    var givenUpAt: Instant?
    /// Whether it has been connected at any time.
    var hasConnected = false
    /// Whether its connection worked and is silent now. It may recover.
    var isLost: Bool { hasConnected && givenUpAt != nil }
    /// Limits the rate of the client's `PATCH` requests.
    var requests: TokenBucket

    /// The peer's only connection.
    static let connection = ConnectionKey.named("whip")
    /// A client that stays disconnected for this long is gone. It lost its connection some time
    /// before that was noticed; the room learns of its leaving within half a minute.
    static let unreachableMaximum: Duration = .seconds(15)
    /// A client that never connects, or never answers our offer, has failed.
    static let connectingMaximum: Duration = .seconds(30)
    /// A browser finds its candidates one by one, about twenty in all.
    static let requestsPerSecond = 10
    static let requestsBurst = 100

    init(
        id: String, peer: PeerID, offer: SessionDescription?, ours: SessionDescription,
        at now: Instant
    ) {
        self.id = id
        self.peer = peer
        description = offer
        entityTag = Self.entityTag(of: ours)
        givenUpAt = now + Self.connectingMaximum
        requests = TokenBucket(
            rate: Self.requestsPerSecond, burst: Self.requestsBurst, at: now)
    }

    mutating func note(_ isMuted: Bool, of published: Set<TrackID>) {
        for index in tracks.indices where published.contains(tracks[index].publishedID) {
            tracks[index].isMuted = isMuted
        }
    }

    /// The server's user name fragment changes with each ICE generation and at no other time.
    static func entityTag(of ours: SessionDescription) -> String {
        "\"\(ours.media.lazy.compactMap(\.ice.usernameFragment).first ?? "")\""
    }

    /// Whether an `If-Match` names this generation. Some clients quote the wildcard.
    func matches(_ condition: String) -> Bool {
        let tags = condition.split(separator: ",").map { tag in
            String(tag.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return tags.contains { $0 == "*" || $0 == "\"*\"" || $0 == entityTag }
    }
}
