internal import MediaKernel
internal import MediaServer
internal import SDP

/// One client of WHIP, from its `POST` to its `DELETE`.
struct WHIPSession {
    /// Unguessable: whoever knows it may end the session. RFC 9725 sect. 5.
    let id: String
    let peer: PeerID
    /// The client's latest offer, or its answer to ours, with the ICE generation in use; nil while that
    /// answer is awaited.
    var description: SessionDescription?
    /// The entity tag of that generation.
    var entityTag: String
    /// When the client is taken for gone unless it is reached; nil while it is.
    var givenUpAt: Instant?
    /// Limits the rate of its `PATCH` requests.
    var requests: TokenBucket

    /// The only connection that the peer has.
    static let connection = ConnectionKey.named("whip")
    /// A client that has not been heard for so long is gone: it has lost its connection some time
    /// before that was noticed, and the room hears within half a minute.
    static let unreachableMaximum: Duration = .seconds(15)
    /// A client that never connects, or never answers our offer, has failed.
    static let connectingMaximum: Duration = .seconds(30)
    /// A browser finds its candidates one by one, some twenty of them.
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

    /// The server's user name fragment changes with each ICE generation, and with nothing else.
    static func entityTag(of ours: SessionDescription) -> String {
        "\"\(ours.media.lazy.compactMap(\.iceUsernameFragment).first ?? "")\""
    }

    /// Whether an `If-Match` means this generation. Clients write the wildcard with quotes, too.
    func matches(_ condition: String) -> Bool {
        let tags = condition.split(separator: ",").map { tag in
            String(tag.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return tags.contains { $0 == "*" || $0 == "\"*\"" || $0 == entityTag }
    }
}
