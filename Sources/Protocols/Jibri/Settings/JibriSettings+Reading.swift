import HOCON
import MediaKernel
import XMPP

extension JibriSettings {
    /// - Parameter name: the nick in the brewery where the settings have neither one nor an id.
    init(_ root: HOCONValue, name: String, _ reader: inout SettingsReader) {
        let section = SettingsReader.Section(value: root, path: "")
        id = reader.text("jibri.id", in: section) ?? id
        isSingleUse = reader.flag("jibri.single-use-mode", in: section) ?? isSingleUse
        http.read(section, &reader)
        recordingsDirectory = directory(section, &reader) ?? recordingsDirectory
        recordsSoundAlone =
            reader.flag("jibri.recording.audio-only", in: section) ?? recordsSoundAlone
        finalizeScript = reader.text("jibri.recording.finalize-script", in: section)
            .flatMap { $0.isEmpty || $0 == Self.absentScript ? nil : $0 }
        allowedStreams =
            reader.texts("jibri.streaming.rtmp-allow-list", in: section, "a regular expression") {
                (try? Regex($0)) != nil
            } ?? allowedStreams
        timeouts.read(section, &reader)
        showsMetrics = reader.flag("jibri.stats.prometheus.enabled", in: section) ?? showsMetrics
        picture.read(section, &reader)
        webhooks =
            reader.texts("jibri.webhook.subscribers", in: section, "a web address") {
                HTTPURL($0)?.canBeReached == true
            } ?? webhooks
        signing = reader.section(ifAny: "jibri.jwt-info", in: section)
            .flatMap { JibriSigning($0, &reader) }
        let environments = reader.list("jibri.api.xmpp.environments", in: section) ?? []
        if environments.isEmpty {
            reader.say(
                .wrong, "jibri.api.xmpp.environments",
                "has no environment, and the variables JIBRI_XMPP_PASSWORD and "
                    + "JIBRI_RECORDER_PASSWORD of Jitsi's container are not set",
                at: reader.place(of: "jibri.api.xmpp.environments", in: section))
        }
        self.environments = environments.compactMap { value in
            JibriEnvironment(
                SettingsReader.Section(value: value, path: "jibri.api.xmpp.environments"),
                name: id.isEmpty ? name : id, &reader)
        }
    }

    /// What `reference.conf` has in place of a script.
    private static let absentScript = "/path/to/finalize"

    private func directory(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) -> String? {
        let key = "jibri.recording.recordings-directory"
        guard let path = reader.text(key, in: section) else { return nil }
        guard path.hasPrefix("/") else {
            reader.say(.wrong, key, "is no absolute path", at: reader.place(of: key, in: section))
            return nil
        }
        return path
    }
}

extension JibriSettings.HTTP {
    fileprivate mutating func read(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) {
        externalHost = reader.text("jibri.api.http.external-api-host", in: section) ?? externalHost
        externalPort = reader.port("jibri.api.http.external-api-port", in: section) ?? externalPort
        internalHost = reader.text("jibri.api.http.internal-api-host", in: section) ?? internalHost
        internalPort = reader.port("jibri.api.http.internal-api-port", in: section) ?? internalPort
    }
}

extension CallTimeouts {
    fileprivate mutating func read(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) {
        let checks = "jibri.call-status-checks"
        noMedia = reader.duration("\(checks).no-media-timeout", in: section) ?? noMedia
        allMuted = reader.duration("\(checks).all-muted-timeout", in: section) ?? allMuted
        empty = reader.duration("\(checks).default-call-empty-timeout", in: section) ?? empty
        connection = reader.duration("\(checks).ice-connection-timeout", in: section) ?? connection
    }
}

extension JibriEnvironment {
    fileprivate init?(
        _ section: SettingsReader.Section, name: String, _ reader: inout SettingsReader
    ) {
        guard section.value.object != nil else {
            reader.say(.wrong, section.path, "has what is not an object", at: section.value.place)
            return nil
        }
        // Everything is read before anything is missed, so that one check tells all.
        let controlSection = reader.section("control-login", in: section)
        let control = controlSection.flatMap { JibriAccount($0, &reader) }
        let call = reader.section("call-login", in: section)
            .flatMap { JibriAccount($0, &reader) }
        let brewery = reader.section("control-muc", in: section)
            .flatMap { Brewery($0, name: name, &reader) }
        let port = controlSection.flatMap { reader.port("port", in: $0) } ?? Self.standardPort
        let hosts = Self.hosts(section, port, &reader)
        let domain = reader.needed("xmpp-domain", in: section)
        let baseURL = Self.baseURL(section, &reader)
        let usageTimeout = Self.usageTimeout(section, &reader)
        let security = Self.security(section, &reader)
        guard let control, let call, let brewery, let domain, !hosts.isEmpty else { return nil }
        self.init(
            name: reader.text("name", in: section) ?? "", hosts: hosts, domain: domain,
            baseURL: baseURL,
            roomDomainPrefix: reader.text("strip-from-room-domain", in: section) ?? "",
            usageTimeout: usageTimeout,
            trustsAllCertificates: reader.flag("trust-all-xmpp-certs", in: section) ?? false,
            security: security, control: control, brewery: brewery, call: call)
    }

    private static let standardPort: UInt16 = 5222

    /// Each `host` or `host:port`.
    private static func hosts(
        _ section: SettingsReader.Section, _ port: UInt16, _ reader: inout SettingsReader
    ) -> [Host] {
        let key = "xmpp-server-hosts"
        let values = reader.list(key, in: section) ?? []
        if values.isEmpty {
            reader.say(
                .wrong, section.name(key), "has no host",
                at: reader.place(of: key, in: section))
        }
        return values.compactMap { value in
            if let host = value.text.flatMap({ Host($0, port: port) }) { return host }
            reader.say(.wrong, section.name(key), "has what is no host", at: value.place)
            return nil
        }
    }

    private static func baseURL(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) -> String? {
        guard let text = reader.text("base-url", in: section), !text.isEmpty else { return nil }
        guard let url = HTTPURL(text), url.canBeReached, !url.authority.contains("@") else {
            reader.say(
                .wrong, section.name("base-url"), "is no web address, or has a login in it",
                at: reader.place(of: "base-url", in: section))
            return nil
        }
        return text
    }

    /// Jibri counts whole minutes, so that a bare number of milliseconds mostly means none.
    private static func usageTimeout(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) -> Duration? {
        guard let timeout = reader.duration("usage-timeout", in: section) else { return nil }
        let minutes = timeout.components.seconds / 60
        if minutes == 0, timeout > .zero {
            reader.say(
                .noted, section.name("usage-timeout"),
                "is less than a minute, which means none, as in Jibri; a bare number is in "
                    + "milliseconds", at: reader.place(of: "usage-timeout", in: section))
        }
        return minutes == 0 ? nil : .seconds(minutes * 60)
    }

    private static func security(
        _ section: SettingsReader.Section, _ reader: inout SettingsReader
    ) -> Security {
        guard let text = reader.text("security-mode", in: section) else { return .ifPossible }
        guard let security = Security(rawValue: text) else {
            reader.say(
                .wrong, section.name("security-mode"),
                "is none of required, ifpossible and disabled",
                at: reader.place(of: "security-mode", in: section))
            return .required
        }
        return security
    }
}

extension JibriEnvironment.Host {
    /// `host`, `host:port` or `[address]:port`.
    fileprivate init?(_ text: String, port: UInt16) {
        guard HTTPURL(isSecure: false, authority: text).canBeReached else { return nil }
        let end = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
        let digits = text[end...].split(separator: ":", omittingEmptySubsequences: false)
        self.init(
            name: HTTPURL(isSecure: false, authority: text).host,
            port: digits.count == 2 ? UInt16(digits[1]) ?? port : port)
    }
}

extension JibriEnvironment.Brewery {
    fileprivate init?(
        _ section: SettingsReader.Section, name: String, _ reader: inout SettingsReader
    ) {
        let domain = reader.needed("domain", in: section)
        let room = reader.needed("room-name", in: section)
        let nickname =
            reader.text("nickname", in: section)
            .flatMap { $0.isEmpty ? nil : $0 } ?? name
        guard let domain, let room else { return nil }
        guard JID(local: room, domain: domain, resource: nickname) != nil else {
            reader.say(.wrong, section.path, "is no room of XMPP", at: section.value.place)
            return nil
        }
        self.init(domain: domain, room: room, nickname: nickname)
    }
}

extension JibriAccount {
    fileprivate init?(_ section: SettingsReader.Section, _ reader: inout SettingsReader) {
        let domain = reader.needed("domain", in: section)
        let user = reader.needed("username", in: section)
        let password = reader.needed("password", in: section)
        guard let domain, let user, let password else { return nil }
        guard JID(local: user, domain: domain) != nil else {
            reader.say(.wrong, section.path, "is no address of XMPP", at: section.value.place)
            return nil
        }
        self.init(domain: domain, user: user, password: password)
        if reader.flag("randomize-username", in: section) == true {
            reader.say(
                .ignored, section.name("randomize-username"),
                "the plain name is used: Prosody's whitelists know no other",
                at: reader.place(of: "randomize-username", in: section))
        }
    }
}
