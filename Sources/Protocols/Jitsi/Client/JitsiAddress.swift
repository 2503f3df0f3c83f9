public import ClientConnections
public import Jibri
public import Logging
public import MediaClient
public import MediaKernel
public import NIOCore
public import RemoteRoom
public import XMPP
public import XMPPClient

/// A conference on a Jitsi deployment.
public struct JitsiAddress: RoomAddress {
    /// Where its XMPP server listens.
    public var server: Endpoint
    public var trust: ServerTrust
    /// The domain that we log in to: for a recorder, that of accounts which clients do not show.
    public var domain: String
    public var credentials: Credentials
    /// Whether stanzas, and the password, may be sent without TLS.
    public var plaintext = ClientSettings.Plaintext.onLoopback
    public var room: JID
    /// The component that takes conference requests: `focus.` and the deployment's domain.
    public var focus: JID
    /// Where the focus takes conference requests by HTTP; nil where it takes them by XMPP.
    public var requests: WebAddress?
    public var password: String?
    /// Whose members are nobody. Nil where it is not known.
    public var hiddenDomain: String?
    /// Whether we say that we are a jibri, as the focus does not count those.
    public var isJibri: Bool
    /// What members see where we are not hidden; nil for the guest's name.
    public var name: String?
    /// What the room's clients are told once we receive.
    public var recording: RecordingPresence?
    /// How long we stay where nothing happens. Nil for as long as the conference lasts.
    public var timeouts: CallTimeouts?

    public init(
        server: Endpoint, trust: ServerTrust = .machine, domain: String, credentials: Credentials,
        room: JID, focus: JID, password: String? = nil, hiddenDomain: String? = nil,
        isJibri: Bool = false
    ) {
        self.server = server
        self.trust = trust
        self.domain = domain
        self.credentials = credentials
        self.room = room
        self.focus = focus
        self.password = password
        self.hiddenDomain = hiddenDomain
        self.isJibri = isJibri
    }

    /// A call looks for lost media for 90 s.
    public var lossMaximum: Duration { .seconds(100) }

    public func room(
        for guest: RoomGuest, on group: any EventLoopGroup, logger: Logger,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver
    ) -> JitsiRecorder {
        JitsiRecorder(
            address: self, guest: guest, group: group, logger: logger, makeObserver: makeObserver)
    }

    func entry(for guest: RoomGuest) -> JitsiCall.Entry {
        JitsiCall.Entry(
            room: room.bare, focus: focus, name: name ?? guest.name, password: password,
            knocks: recording == nil, asksByHTTP: requests != nil,
            hiddenDomain: hiddenDomain, isJibri: isJibri,
            recording: recording, timeouts: timeouts, receivesVideo: guest.receivesVideo)
    }

    var settings: ClientSettings {
        var settings = ClientSettings(
            domain: domain, credentials: credentials,
            capabilities: JitsiFeatures.capabilities(isJibri: isJibri))
        settings.answered = JitsiCall.answered
        settings.plaintext = plaintext
        return settings
    }
}
