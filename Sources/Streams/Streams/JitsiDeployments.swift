internal import MediaKernel

/// The Jitsi deployments whose conferences may be streamed, by the hosts of their pages.
public struct JitsiDeployments: Hashable, Sendable, Decodable {
    /// What is not given follows from the host, as in Jitsi's own packages.
    struct Deployment: Hashable, Decodable {
        /// Where the XMPP server listens.
        var server: String?
        var certificates: String?
        /// The deployment's own domain in XMPP.
        var domain: String?
        /// The domain to log in to.
        var loginDomain: String?
        var user: String?
        var password: String?
        /// The domain of rooms.
        var mucDomain: String?
        var focus: String?
        /// The address at which the focus takes conference requests by HTTP.
        var conferenceRequest: String?
        var hiddenDomain: String?
        var name: String?
        var isJibri: Bool?
        /// By room.
        var roomPasswords: [String: String]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case server, certificates, domain, loginDomain, user, password, mucDomain, focus
            case conferenceRequest, hiddenDomain, name, isJibri, roomPasswords
        }
    }

    /// The names of a deployment's fields.
    public static let fields = Deployment.CodingKeys.allCases.map(\.rawValue)

    private static let textBytesMaximum = 4096

    private var deployments: [String: Deployment] = [:]
    /// What admits us wherever a conference is known by other means.
    private var accounts: [Login: JitsiCredential.Account] = [:]

    /// Deployments have domains of the same names, as those of containers do: only the server and
    /// the user tell them apart.
    private struct Login: Hashable {
        let server: String
        let domain: String
        let user: String
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        deployments = try [String: Deployment](from: decoder)
    }

    /// The rule that an entry breaks; nil if there is none.
    public var fault: String? {
        for (name, deployment) in deployments.sorted(by: { $0.key < $1.key }) {
            guard let pattern = HostPattern(name), !pattern.isWildcard, name == name.lowercased()
            else { return "deployments are named like meet.example.org or meet.example.org:8443" }
            guard (deployment.user == nil) == (deployment.password == nil) else {
                return "\(name) has a user without a password, or the other way round"
            }
            guard
                deployment.texts.allSatisfy({ (1...Self.textBytesMaximum).contains($0.utf8.count) })
            else { return "a value of \(name) is empty or too long" }
            guard deployment.conferenceRequest.map(Self.isRequestAddress) ?? true else {
                return "conferenceRequest of \(name) is like "
                    + "https://meet.example.org/conference-request/v1"
            }
            guard deployment.server.map(JitsiServer.isUsable) ?? true else {
                return "server of \(name) is like xmpp.example.org:5222 or "
                    + "wss://meet.example.org/xmpp-websocket"
            }
        }
        return nil
    }

    /// Without a user or a fragment: the address is in plans.
    private static func isRequestAddress(_ text: String) -> Bool {
        WebAddress(text).map { !$0.text.contains(where: { "#@".contains($0) }) } ?? false
    }

    /// Has bots log in with this account, for conferences that come with their addresses and name
    /// its user.
    ///
    /// - Parameter server: as a conference has it.
    public mutating func admit(
        _ account: JitsiCredential.Account, to domain: String, at server: String
    ) {
        accounts[Login(server: server, domain: domain, user: account.user)] = account
    }

    private func deployment(of source: JitsiSource) -> (host: String, Deployment)? {
        let port = WebAddress.standardPort(isSecure: source.address.isSecure)
        return (deployments[source.deployment] ?? deployments["\(source.deployment):\(port)"])
            .map { (source.address.host, $0) }
    }

    /// Where the conference is; nil for that of a deployment, or of a tenant, that is not known.
    public func conference(of source: JitsiSource) -> JitsiConference? {
        guard let (host, deployment) = deployment(of: source) else { return nil }
        let domain = deployment.domain ?? host
        guard let rooms = deployment.rooms(of: source.tenant, domain: domain) else { return nil }
        let login =
            deployment.loginDomain
            ?? (deployment.user == nil ? domain : deployment.hiddenDomain ?? domain)
        return JitsiConference(
            server: deployment.server ?? "\(host):\(JitsiServer.standardPort)",
            certificates: deployment.certificates, domain: login,
            room: "\(source.room)@\(rooms)",
            focus: deployment.focus ?? "focus.\(domain)", requests: deployment.conferenceRequest,
            name: deployment.name,
            hiddenDomain: deployment.hiddenDomain, isJibri: deployment.isJibri ?? false)
    }

    /// Nil for a deployment that is not listed.
    ///
    /// - Parameter conference: of a stream that has one.
    public func credential(
        for source: JitsiSource, in conference: JitsiConference?
    ) -> JitsiCredential? {
        if let conference, let user = conference.user,
            let account = accounts[
                Login(server: conference.server, domain: conference.domain, user: user)]
        {
            return JitsiCredential(account: account)
        }
        guard let (_, deployment) = deployment(of: source) else { return nil }
        let passwords = deployment.roomPasswords ?? [:]
        return JitsiCredential(
            account: deployment.user.map {
                JitsiCredential.Account(user: $0, password: deployment.password ?? "")
            },
            // As people write the name, or as the servers do.
            roomPassword: passwords[source.room]
                ?? passwords.first { $0.key.lowercased() == source.room }?.value)
    }
}

extension JitsiDeployments.Deployment {
    /// The domain of rooms: those of a tenant stand below the deployment's own, as in
    /// `conference.tenant.example.org`.
    fileprivate func rooms(of tenant: String?, domain: String) -> String? {
        let usual = mucDomain ?? "conference.\(domain)"
        guard let tenant else { return usual }
        guard usual.hasSuffix(".\(domain)") else { return nil }
        return usual.dropLast(domain.utf8.count) + "\(tenant).\(domain)"
    }

    fileprivate var texts: [String] {
        [
            server, certificates, domain, loginDomain, user, password, mucDomain, focus,
            hiddenDomain, name, conferenceRequest,
        ].compactMap(\.self) + (roomPasswords ?? [:]).values
    }
}

/// Where an XMPP server listens, as settings and plans write it.
public enum JitsiServer: Hashable, Sendable {
    public static let standardPort: UInt16 = 5222

    case tcp(host: String, port: UInt16)
    /// A `ws` or `wss` address.
    case webSocket(String)

    /// Nil for a text that is no server.
    public init?(_ text: String) {
        let scheme = text.prefix { $0 != "/" }.lowercased()
        if scheme == "ws:" || scheme == "wss:" {
            // `ws` and `wss` become `http` and `https`.
            guard let address = WebAddress("http" + text.dropFirst(2)),
                !address.text.contains(where: { "#@".contains($0) })
            else { return nil }
            self = .webSocket(text)
            return
        }
        guard let pattern = HostPattern(text), !pattern.isWildcard else { return nil }
        self = .tcp(host: pattern.host, port: pattern.port ?? Self.standardPort)
    }

    static func isUsable(_ text: String) -> Bool { JitsiServer(text) != nil }
}
