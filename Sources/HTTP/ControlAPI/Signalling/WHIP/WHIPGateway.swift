public import MediaKernel
public import Tokens

/// The way from HTTP into the rooms for clients of WHIP and WHEP. `Service` implements it.
public protocol WHIPGateway: Sendable {
    /// A client offers the media that it publishes. RFC 9725 sect. 4.2.
    func publish(
        _ offer: String, by client: WHIPRequest
    ) async throws(APIError) -> WHIPResource

    /// A client offers to receive a peer's media, or asks by an empty text for an offer of ours.
    /// draft-ietf-wish-whep sect. 4.
    func play(
        _ offer: String, by client: WHIPRequest, view: WHEPView
    ) async throws(APIError) -> WHIPResource

    /// Whether a session waits for an answer, before that is read. ``answer(_:in:with:)`` follows.
    func admitAnswer(_ session: String, in room: RoomID) async throws(APIError)

    /// A client answers the server's own offer. draft-ietf-wish-whep-03 sect. 4.3.
    func answer(_ session: String, in room: RoomID, with answer: String) async throws(APIError)

    /// A client sends candidates, or restarts ICE. RFC 9725 sect. 4.3.
    ///
    /// - Parameter condition: the request's `If-Match`.
    /// - Returns: nil for candidates, which need no answer.
    func patch(
        _ session: String, in room: RoomID, with fragment: String, ifMatch condition: String?
    ) async throws(APIError) -> WHIPResource?

    /// A client ends its session.
    func end(_ session: String, in room: RoomID) async throws(APIError)

    /// The ICE servers for the client; empty if it needs none.
    func iceServers() async -> [InitialConfiguration.ICEServer]
}

/// The client and its media.
public struct WHIPRequest: Hashable, Sendable {
    public var claims: RoomTokenClaims
    /// The name that others see; nil for the user's id.
    public var name: String?
    /// Of its video: `regular`, `screen`, ….
    public var source: String?

    public init(claims: RoomTokenClaims, name: String? = nil, source: String? = nil) {
        self.claims = claims
        self.name = name
        self.source = source
    }
}

/// The media that a WHEP client plays.
public enum WHEPView: Hashable, Sendable {
    /// The media of one peer.
    case peer(PeerID)
    /// The shared screen.
    case screen
    /// The active speaker.
    case speaker
}

/// A session, as its client sees it.
public struct WHIPResource: Hashable, Sendable {
    /// The last component of its address.
    public var id: String
    /// Quoted.
    public var entityTag: String
    /// The answer to an offer, the server's own offer, or the fragment that answers an ICE restart.
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
