/// What an operator of Jibri has set, with Jibri's names and defaults (jitsi/jibri,
/// `reference.conf`). Roomcast takes it over unchanged.
public struct JibriSettings: Sendable {
    /// Also what webhooks call this program. May be empty.
    public var id = ""
    /// Each slot records once; then the program has to be started again.
    public var isSingleUse = false
    public var http = HTTP()
    public var environments: [JibriEnvironment] = []
    public var recordingsDirectory = "/tmp/recordings"
    /// Whether recordings have no picture. Jibri has no such key, and passes over it.
    public var recordsSoundAlone = false
    /// Called with the directory of a recording that has ended. Nil for none.
    public var finalizeScript: String?
    /// One of these must match the whole address that is streamed to.
    public var allowedStreams = [".*"]
    public var timeouts = CallTimeouts()
    /// Addresses below which events are sent.
    public var webhooks: [String] = []
    /// Nil for events without a proof.
    public var signing: JibriSigning?
    /// Whether Jibri's figures are at `/metrics` of the external HTTP interface.
    public var showsMetrics = false
    public var picture = JibriPicture()

    /// Where the two HTTP servers listen.
    public struct HTTP: Hashable, Sendable {
        public var externalHost = "127.0.0.1"
        public var externalPort: UInt16 = 2222
        public var internalHost = "127.0.0.1"
        public var internalPort: UInt16 = 3333
    }

    public init() {}
}

/// One deployment of Jitsi: how it is reached, and under which names.
public struct JibriEnvironment: Sendable {
    /// For people.
    public var name: String
    public var hosts: [Host]
    /// The deployment's main domain.
    public var domain: String
    /// Of the addresses of meetings; nil for `https://` and the domain.
    public var baseURL: String?
    /// What is taken out of a room's domain to get that of its meeting.
    public var roomDomainPrefix: String
    /// Whole minutes; nil for none.
    public var usageTimeout: Duration?
    public var trustsAllCertificates: Bool
    public var security: Security
    /// Who sits in the brewery.
    public var control: JibriAccount
    public var brewery: Brewery
    /// Who joins the rooms.
    public var call: JibriAccount

    /// The room where recorders wait for Jicofo.
    public struct Brewery: Hashable, Sendable {
        public var domain: String
        public var room: String
        public var nickname: String

        /// One nick for each slot: Jicofo knows a session by the nick that records it, so two
        /// sessions cannot have the same.
        public func nick(ofSlot slot: Int) -> String {
            slot == 0 ? nickname : "\(nickname)-\(slot + 1)"
        }
    }

    public struct Host: Hashable, Sendable, CustomStringConvertible {
        public var name: String
        public var port: UInt16

        public var description: String {
            name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
        }
    }

    /// Smack's names, which Jibri passes on.
    public enum Security: String, Hashable, Sendable {
        case required
        case ifPossible = "ifpossible"
        /// No TLS at all.
        case disabled
    }
}

/// A login. Its description has no password, nor has what a debugger prints.
public struct JibriAccount: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public var domain: String
    public var user: String
    public var password: String

    public var description: String { "\(user)@\(domain)" }
    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
