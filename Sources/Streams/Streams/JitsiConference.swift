/// A conference of Jitsi as a bot joins it: where its servers are, and under which names. What
/// admits the bot is a ``JitsiCredential``, and no part of it.
public struct JitsiConference: Hashable, Sendable, Codable {
    /// Whether what is said to the server, with the password, may be unencrypted.
    public enum Encryption: String, Hashable, Sendable, Codable {
        case required
        /// Unless the server is on this machine.
        case beyondLoopback = "beyond_loopback"
        /// Only if the server offers it.
        case optional
    }

    /// What the room's clients are told: that the meeting is recorded or streamed.
    public struct Recording: Hashable, Sendable, Codable {
        /// Jicofo's name of the session.
        public var session: String
        /// `file` or `stream`.
        public var mode: String
        /// Where everybody can watch; nil for nowhere.
        public var viewURL: String?

        enum CodingKeys: String, CodingKey {
            case session = "session_id"
            case mode
            case viewURL = "view_url"
        }

        public init(session: String, mode: String, viewURL: String? = nil) {
            self.session = session
            self.mode = mode
            self.viewURL = viewURL
        }
    }

    /// How long the bot stays where nothing happens, in milliseconds. Names and rules are Jibri's.
    public struct Patience: Hashable, Sendable, Codable {
        public var noMedia: Int64
        public var allMuted: Int64
        public var empty: Int64
        public var connection: Int64

        enum CodingKeys: String, CodingKey {
            case noMedia = "no_media_ms"
            case allMuted = "all_muted_ms"
            case empty = "empty_ms"
            case connection = "connection_ms"
        }

        public init(noMedia: Int64, allMuted: Int64, empty: Int64, connection: Int64) {
            self.noMedia = noMedia
            self.allMuted = allMuted
            self.empty = empty
            self.connection = connection
        }
    }

    /// Stands for any certificate in ``certificates``.
    public static let anyCertificate = "any"

    /// The file that ``certificates`` names; nil if it names none.
    public var authorities: String? { certificates == Self.anyCertificate ? nil : certificates }

    /// Where the XMPP server listens: `host:port`, or the `ws` or `wss` address of a WebSocket.
    public var server: String
    /// What the server proves its name by: nil for the authorities that this machine trusts,
    /// ``anyCertificate`` for nothing, or else the path of a file with authorities in PEM form.
    public var certificates: String?
    public var encryption: Encryption
    /// The domain to log in to: for a recorder, that of accounts which clients do not show.
    public var domain: String
    /// Whose account is used there; nil for that of the settings' deployment.
    public var user: String?
    /// The address of the room: `room@conference.example.org`.
    public var room: String
    /// The address of the component that takes conference requests: `focus.example.org`.
    public var focus: String
    /// The http or https address at which the focus takes conference requests; nil where it takes them
    /// by XMPP.
    public var requests: String?
    /// What members see where the bot is not hidden; nil for the usual name.
    public var name: String?
    /// The domain of accounts that clients do not show; nil where there is none.
    public var hiddenDomain: String?
    /// Whether the bot says that it is a jibri, which the focus does not count as a participant.
    public var isJibri: Bool
    /// Shown in the room while the bot receives its media. Nil for nothing.
    public var recording: Recording?
    /// Nil for as long as the conference lasts.
    public var patience: Patience?

    enum CodingKeys: String, CodingKey {
        case server, certificates, encryption, domain, user, room, focus, name, recording, patience
        case requests
        case hiddenDomain = "hidden_domain"
        case isJibri = "is_jibri"
    }

    public init(
        server: String, certificates: String? = nil, encryption: Encryption = .beyondLoopback,
        domain: String, user: String? = nil, room: String, focus: String,
        requests: String? = nil, name: String? = nil,
        hiddenDomain: String? = nil, isJibri: Bool = false, recording: Recording? = nil,
        patience: Patience? = nil
    ) {
        self.server = server
        self.certificates = certificates
        self.encryption = encryption
        self.domain = domain
        self.user = user
        self.room = room
        self.focus = focus
        self.requests = requests
        self.name = name
        self.hiddenDomain = hiddenDomain
        self.isJibri = isJibri
        self.recording = recording
        self.patience = patience
    }
}
