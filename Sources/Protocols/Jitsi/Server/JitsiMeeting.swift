public import RoomHost
public import XML

/// Jitsi's clients in a room of ours: we are their focus and their bridge, beside an XMPP server
/// (`docs/JITSI.md`).
public struct JitsiMeeting: RoomProtocol {
    private let settings: FocusSettings
    private let post: any StanzaPost

    public init(settings: FocusSettings, post: any StanzaPost) {
        self.settings = settings
        self.post = post
    }

    public func makeSessions() -> any RoomSessions {
        JitsiSessions(settings: settings, post: post)
    }
}

/// The way to the XMPP server.
public protocol StanzaPost: Sendable {
    /// Sends a stanza that says from whom it is. Must not wait; without a connection it is dropped.
    func post(_ stanza: XMLElement)
}

/// Where Jitsi's clients meet, and what they may do in our rooms.
public struct FocusSettings: Hashable, Sendable {
    /// The component's domain, to which clients send conference requests; our own addresses are of
    /// it.
    public var component: String
    /// The domain of the XMPP server's rooms.
    public var rooms: String
    /// Another domain of ours, whose occupants clients do not show; nil for none. By one of them
    /// clients know that they are recorded.
    public var recorders: String?
    /// How clients reach the HTTP server, such as `https://live.example.org`, for the bridge's
    /// channel by WebSocket; nil for SCTP alone.
    public var bridge: String?
    /// In the room's policy: of the first member, and again of the oldest one when that has left. It
    /// is the owner of the XMPP room.
    public var firstRole = "host"
    /// Of all others.
    public var role = "guest"
    /// The rooms that may be entered; nil for all.
    public var open: Set<String>?

    public init(component: String, rooms: String) {
        self.component = component
        self.rooms = rooms
    }
}
