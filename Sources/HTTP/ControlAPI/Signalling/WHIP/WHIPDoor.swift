public import MediaKernel
public import Tokens

/// The way from HTTP into the rooms for clients of WHIP and WHEP. `Service` implements it.
public protocol WHIPDoor: Sendable {
    /// A client offers what it publishes. RFC 9725 sect. 4.2.
    func publish(
        _ offer: String, by client: WHIPRequest
    ) async throws(APIError) -> WHIPResource

    /// A client offers to receive what somebody publishes, or, by an empty text, asks to be offered
    /// that. draft-ietf-wish-whep sect. 4.
    func play(
        _ offer: String, by client: WHIPRequest, view: WHEPView
    ) async throws(APIError) -> WHIPResource

    /// A client answers the server's own offer. draft-ietf-wish-whep-03 sect. 4.3.
    func answer(_ session: String, in room: RoomID, with answer: String) async throws(APIError)

    /// A client tells candidates, or restarts ICE. RFC 9725 sect. 4.4.
    ///
    /// - Parameter condition: the request's `If-Match`.
    /// - Returns: nil for candidates, which have no answer.
    func patch(
        _ session: String, in room: RoomID, with fragment: String, ifMatch condition: String?
    ) async throws(APIError) -> WHIPResource?

    /// A client ends its session.
    func end(_ session: String, in room: RoomID) async throws(APIError)

    /// The servers by which a client may reach us; none where it needs none.
    func iceServers() async -> [InitialConfiguration.ICEServer]
}

/// Who comes, and as what.
public struct WHIPRequest: Hashable, Sendable {
    public var claims: RoomTokenClaims
    /// What others see; nil for the user's id.
    public var name: String?
    /// Of its video: `regular`, `screen`, ….
    public var source: String?

    public init(claims: RoomTokenClaims, name: String? = nil, source: String? = nil) {
        self.claims = claims
        self.name = name
        self.source = source
    }
}

/// What a client of WHEP plays.
public enum WHEPView: Hashable, Sendable {
    /// What one peer publishes.
    case peer(PeerID)
    /// What somebody shows.
    case screen
    /// Whoever speaks.
    case speaker
}

/// A session, as its client is told of it.
public struct WHIPResource: Hashable, Sendable {
    /// The last part of its address.
    public var id: String
    /// Quoted.
    public var entityTag: String
    /// The answer to an offer, the server's own offer, or the fragment that answers a restart.
    public var body: String
    /// Whether it is an offer in place of the client's, which cannot be played.
    public var isCounterOffer: Bool

    public init(id: String, entityTag: String, body: String, isCounterOffer: Bool = false) {
        self.id = id
        self.entityTag = entityTag
        self.body = body
        self.isCounterOffer = isCounterOffer
    }
}
