import Codec
public import ControlAPI
import HLS
public import Logging
import MediaKernel
public import MediaServer
import NIOCore
import ObjectStorage
public import Sandbox
import Stage
import Streams
import Tokens
import Webhooks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All settings of an operator, validated. `docs/CONFIGURATION.md` describes each of them.
public struct Settings: Hashable, Sendable {
    public var httpHost = "127.0.0.1"
    public var httpPort = 8080
    /// Total for viewers and peers.
    public var httpConnectionsMaximum = 8192
    public var httpConnectionsPerAddressMaximum = 1024
    /// PEM files, both or none.
    public var certificateFile: String?
    public var privateKeyFile: String?
    /// The public URL of this server, e.g. `https://live.example.org`, without a trailing slash.
    public var publicURL: String?
    public var udpHost = "0.0.0.0"
    public var udpPort = 7882
    /// Threads that receive and forward media. Each room belongs to one thread.
    public var udpThreads = min(System.coreCount, 8)
    /// IP addresses at which clients reach the UDP port; empty for this machine's own.
    public var advertisedAddresses: [String] = []
    public var tcpPort = MediaServerConfiguration.TCPPort.sameAsUDP
    /// The same for the TCP port; empty for those of the UDP port.
    public var tcpAdvertisedAddresses: [String] = []
    /// Concurrent connections to the TCP port.
    public var tcpLinksMaximum = MediaServerConfiguration.tcpLinksMaximum
    /// Nil if clients need no relay.
    public var turn: TURNRelay?
    public var accessKey = Settings.developmentAccessKey
    public var secret = Settings.developmentSecret
    public var policyFile: String?
    public var rooms = RoomSettings()
    /// Nil without a receiver.
    public var webhooks: WebhookSettings?
    /// Nil if assets stay on this machine.
    public var store: StoreSettings?
    public var stream = StreamSettings()
    /// The user that runs bots and finishers, which process data from strangers; nil for the
    /// server's own user.
    public var botUser: SystemUser?
    public var opensTokens = false
    public var listsRooms = true
    public var hlsScriptURL: String?
    public var pagesDirectory: String?
    public var logLevel = Logger.Level.info
    public var logFormat = LineLogHandler.Format.logfmt
    /// Environment variables with the settings' prefix that match no setting; `serve` warns about
    /// them. They are not errors: Kubernetes, for example, sets `<SERVICE>_PORT` and the like in
    /// every container.
    public private(set) var unknownVariables: [String] = []

    /// Publicly known, so only acceptable on a loopback address.
    public static let developmentAccessKey = "roomcast-development"
    public static let developmentSecret = "roomcast-development-secret-known-to-everybody"

    /// Environment variables to hide once they are read.
    public static let secretVariables = Set(
        SettingKey.secrets.union([.authAccessKey]).map(\.variable))

    public init() {}

    /// Reads the file, then the environment, which takes precedence, and validates the result.
    ///
    /// - Parameter file: a JSON file; nil for none.
    public init(
        file: String?, environment: [String: String]? = nil
    ) throws(SettingsError) {
        self.init()
        let source = try SettingsSource(file: file, environment: environment)
        unknownVariables = source.unknownVariables
        try readHTTP(source)
        try readUDP(source)
        try readTCP(source)
        try readTURN(source)
        try readAccess(source)
        try readStream(source)
        try readBots(source)
        try readWebhooks(source)
        store = try StoreReader(source: source).settings()
        stream.copyURL = store?.copyURL
        guard stream.copyURL == nil || stream.signedPlayback == nil else {
            throw .invalid(
                key: SettingKey.streamSignedPlaybackSeconds.rawValue,
                reason: StreamSettings.unsignedCopies)
        }
        try readLog(source)
        hlsScriptURL = source.text(.pagesHLSScriptURL)
        pagesDirectory = source.text(.pagesDirectory)
        policyFile = source.text(.policyFile)
        try readRooms(source)
        stream.publicBaseURL = publicBaseURL
        stream.logLevel = logLevel.rawValue
        stream.logFormat = logFormat.rawValue
    }

    /// Reads only the settings needed to make tokens; the others have their defaults. The secrets
    /// of other services may be missing.
    public init(
        keyIn file: String?, environment: [String: String]? = nil
    ) throws(SettingsError) {
        self.init()
        let source = try SettingsSource(file: file, environment: environment)
        httpHost = source.text(.httpHost) ?? httpHost
        publicURL = source.text(.httpPublicURL)
        try readAccess(source)
    }

    /// Reads only the directories of streams and recordings; other settings have their defaults.
    public init(
        directoriesIn file: String?, environment: [String: String]? = nil
    ) throws(SettingsError) {
        self.init()
        readDirectories(try SettingsSource(file: file, environment: environment))
    }

    /// Whether the built-in key is in use, which `serve` warns about.
    public var usesDevelopmentKey: Bool { accessKey == Self.developmentAccessKey }

    /// Compares values: writing the well-known key to the file does not make it secret.
    private var isKeyWellKnown: Bool { usesDevelopmentKey || secret == Self.developmentSecret }

    public var isTLS: Bool { certificateFile != nil }

    /// The base of playback URLs.
    public var publicBaseURL: String {
        if let publicURL { return publicURL }
        let host = Self.isAnyAddress(httpHost) ? "localhost" : Self.bracketed(httpHost)
        return HTTPURL(isSecure: isTLS, authority: "\(host):\(httpPort)").origin
    }

    /// The server's URL for bots on this machine: the public URL with TLS, since the certificate is
    /// for that name, otherwise the direct one.
    public func botEndpoint(port: Int) -> String {
        if isTLS, let publicURL { return publicURL }
        let host = Self.isAnyAddress(httpHost) ? "127.0.0.1" : Self.bracketed(httpHost)
        return HTTPURL(isSecure: isTLS, authority: "\(host):\(port)").origin
    }

    public var http: HTTPServiceConfiguration {
        HTTPServiceConfiguration(
            host: httpHost, port: httpPort, certificateFile: certificateFile,
            privateKeyFile: privateKeyFile, outputDirectory: stream.outputDirectory,
            publicBaseURL: publicURL, servesOwnHostsOnly: isKeyWellKnown,
            handsOutTokens: opensTokens, listsRooms: listsRooms,
            showsRecordings: usesDevelopmentKey,
            hlsScriptURL: hlsScriptURL,
            mediaURLs: [store?.copyURL, store?.store.origin].compactMap { $0 },
            pagesDirectory: pagesDirectory, webhooks: webhooks?.reach,
            frameRate: stream.ladder.frameRate, connectionsMaximum: httpConnectionsMaximum,
            connectionsPerAddressMaximum: httpConnectionsPerAddressMaximum)
    }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether the server has no public URL, or one that names a loopback address.
    private var isPublicURLLoopback: Bool {
        guard let url = publicURL.flatMap({ HTTPURL($0) }) else { return true }
        return Self.isLoopback(url.host)
    }

    private static func isAnyAddress(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}

extension Settings {
    private mutating func readHTTP(_ source: SettingsSource) throws(SettingsError) {
        httpHost = source.text(.httpHost) ?? httpHost
        httpPort = try port(source, .httpPort) ?? httpPort
        httpConnectionsMaximum =
            try integer(source, .httpConnectionsMaximum, 16...1_000_000) ?? httpConnectionsMaximum
        httpConnectionsPerAddressMaximum =
            try integer(source, .httpConnectionsPerAddressMaximum, 1...1_000_000)
            ?? httpConnectionsPerAddressMaximum
        certificateFile = source.text(.httpCertificateFile)
        privateKeyFile = source.text(.httpPrivateKeyFile)
        guard (certificateFile == nil) == (privateKeyFile == nil) else {
            throw .invalid(
                key: SettingKey.httpCertificateFile.rawValue,
                reason: "certificateFile and privateKeyFile must be given together")
        }
        guard var url = source.text(.httpPublicURL) else {
            guard !isTLS else {
                throw .invalid(
                    key: SettingKey.httpPublicURL.rawValue,
                    reason: "it is needed with a certificate: "
                        + "bots call the server by the name in it")
            }
            return
        }
        while url.hasSuffix("/") { url.removeLast() }
        guard let parts = HTTPURL(url), parts.target.isEmpty, !parts.authority.contains(" ") else {
            throw .invalid(
                key: SettingKey.httpPublicURL.rawValue,
                reason: "it must be http:// or https:// with a host and nothing behind it")
        }
        publicURL = url
    }

    private mutating func readAccess(_ source: SettingsSource) throws(SettingsError) {
        switch (source.text(.authAccessKey), source.text(.authSecret)) {
        case (let key?, let given?):
            accessKey = key
            secret = given
            guard given.utf8.count >= TokenAuthority.secretBytesMinimum else {
                throw .invalid(
                    key: SettingKey.authSecret.rawValue,
                    reason: "HS256 needs at least \(TokenAuthority.secretBytesMinimum) bytes")
            }
        case (nil, nil):
            break
        case (nil, _), (_, nil):
            throw .invalid(
                key: SettingKey.authAccessKey.rawValue,
                reason: "accessKey and secret must be given together")
        }
        let isWellKnown = isKeyWellKnown
        guard !isWellKnown || Self.isLoopback(httpHost) else { throw .accessKeyNeeded }
        // Behind a proxy on this machine, a server that listens on loopback is reachable by
        // everybody.
        guard !isWellKnown || isPublicURLLoopback else { throw .accessKeyNeededInPublic }
        opensTokens = source.flag(.pagesOpenTokens) ?? isWellKnown
        listsRooms = source.flag(.pagesListRooms) ?? isWellKnown
    }

    private mutating func readStream(_ source: SettingsSource) throws(SettingsError) {
        let frameRate = try integer(source, .streamFrameRate, Ladder.frameRates) ?? 30
        let rungs = source.list(.streamLadder)
        let layers = try rungs.map { (rungs) throws(SettingsError) in
            try LadderText.layers(rungs, frameRate: frameRate)
        }
        do {
            stream.ladder = try Ladder(
                validating: layers
                    ?? Ladder.standard.layers.map { layer in
                        var layer = layer
                        layer.frameRate = frameRate
                        return layer
                    })
        } catch {
            throw .invalid(key: SettingKey.streamLadder.rawValue, reason: "\(error)")
        }
        if let seconds = source.number(.streamSegmentSeconds) {
            guard StreamPlan.segmentSeconds.contains(seconds) else {
                throw .invalid(
                    key: SettingKey.streamSegmentSeconds.rawValue, reason: "0.5 to 10 seconds")
            }
            stream.segmentDuration = .milliseconds(Int((seconds * 1000).rounded()))
        }
        stream.playlist = try playlist(source)
        try readLayout(source)
        try readThumbnails(source)
        stream.preset = try preset(source) ?? stream.preset
        stream.encoder = try choice(source, .streamEncoder) ?? stream.encoder
        try readLimits(source)
        stream.streamsMaximum =
            try integer(source, .streamMaximum, 1...1000) ?? stream.streamsMaximum
        if let cores = source.number(.streamIdleCoresMinimum) {
            guard (0...64).contains(cores) else {
                throw .invalid(
                    key: SettingKey.streamIdleCoresMinimum.rawValue, reason: "0 to 64 cores")
            }
            stream.idleCoresMinimum = cores
        }
        stream.variantsPerRoomMaximum =
            try integer(source, .streamVariantsPerRoomMaximum, 1...100)
            ?? stream.variantsPerRoomMaximum
        readDirectories(source)
        if let days = source.number(.recordingsKeepDays) {
            guard (0...36_500).contains(days) else {
                throw .invalid(
                    key: SettingKey.recordingsKeepDays.rawValue,
                    reason: "0 (for ever) to 36500 days")
            }
            stream.recordingsKept = days == 0 ? nil : .seconds((days * 86_400).rounded(.up))
        }
    }

    /// A server that runs as root has its bots switch to an unprivileged user.
    private mutating func readBots(_ source: SettingsSource) throws(SettingsError) {
        let name = source.text(.botsUser)
        guard SystemUser.mayChange else {
            guard name == nil else {
                throw .invalid(
                    key: SettingKey.botsUser.rawValue,
                    reason: "only a server that runs as root can give its bots another user")
            }
            return
        }
        guard let user = SystemUser(named: name ?? Self.nobody) else {
            guard name == nil else {
                throw .invalid(
                    key: SettingKey.botsUser.rawValue, reason: "there is no user '\(name ?? "")'")
            }
            return
        }
        botUser = user == .root ? nil : user
    }

    private static let nobody = "nobody"

    private mutating func readDirectories(_ source: SettingsSource) {
        stream.outputDirectory = source.text(.outputDirectory) ?? stream.outputDirectory
        stream.recordingsDirectory =
            source.text(.recordingsDirectory) ?? stream.recordingsDirectory
    }

    private mutating func readLimits(_ source: SettingsSource) throws(SettingsError) {
        // 100ms ends a stream after five minutes in an empty room.
        stream.rules.emptyTimeout =
            try limit(source, .streamEmptyTimeoutSeconds, 86_400) ?? .some(.seconds(300))
        stream.rules.idleTimeout = try limit(source, .streamIdleTimeoutSeconds, 86_400) ?? nil
        stream.rules.durationMaximum = try limit(source, .streamMaximumSeconds, 2_678_400) ?? nil
        stream.signedPlayback =
            try limit(source, .streamSignedPlaybackSeconds, 31_536_000) ?? nil
        if let text = source.text(.streamAutoStart) {
            guard let condition = AutoStart(text) else {
                throw .invalid(key: SettingKey.streamAutoStart.rawValue, reason: AutoStart.form)
            }
            stream.autoStart = condition
        }
        let wanted = source.list(.streamAutoStartRecording) ?? []
        guard wanted.allSatisfy({ ["hls_vod", "single_file_per_layer"].contains($0) }) else {
            throw .invalid(
                key: SettingKey.streamAutoStartRecording.rawValue,
                reason: "hls_vod and single_file_per_layer")
        }
        stream.autoStartRecording = RecordingOptions(
            hlsVOD: wanted.contains("hls_vod"),
            singleFilePerLayer: wanted.contains("single_file_per_layer"))
    }

    /// - Returns: nil if the setting is missing; `.some(nil)` for 0, which means for ever.
    private func limit(
        _ source: SettingsSource, _ key: SettingKey, _ maximum: Int
    ) throws(SettingsError) -> Duration?? {
        guard let seconds = source.number(key) else { return nil }
        guard (0...Double(maximum)).contains(seconds) else {
            throw .invalid(key: key.rawValue, reason: "0 (never) to \(maximum) seconds")
        }
        return .some(seconds == 0 ? nil : .seconds(seconds))
    }

    private static func hosts(
        _ source: SettingsSource, _ key: SettingKey, allowsHTTP: Bool
    ) throws(SettingsError) -> WebHosts {
        guard let hosts = WebHosts(source.list(key) ?? [], allowsHTTP: allowsHTTP) else {
            throw .invalid(
                key: key.rawValue,
                reason: "entries are like example.org, *.example.org or example.org:8443")
        }
        return hosts
    }

    private mutating func readLayout(_ source: SettingsSource) throws(SettingsError) {
        let hosts = try Self.hosts(
            source, .picturesHosts, allowsHTTP: source.flag(.picturesAllowHTTP) ?? false)
        stream.pictureHosts = hosts
        stream.sourceHosts = try Self.hosts(source, .streamSourceHosts, allowsHTTP: true)
        guard let pushHosts = PushHosts(source.list(.streamPushHosts) ?? []) else {
            throw .invalid(
                key: SettingKey.streamPushHosts.rawValue,
                reason: "entries are like example.org, *.example.org or 10.0.0.5:1935")
        }
        stream.pushHosts = pushHosts
        guard let text = source.text(.streamLayout) else { return }
        guard let json = try? JSONDocument.decode(JSONValue.self, from: text.utf8) else {
            throw .invalid(key: SettingKey.streamLayout.rawValue, reason: "it is not JSON")
        }
        do throws(LayoutError) {
            stream.layout = try stream.layout.changed(by: json, pictures: hosts)
        } catch {
            throw .invalid(key: SettingKey.streamLayout.rawValue, reason: error.description)
        }
    }

    /// RFC 2104 sect. 3: a key shorter than the hash's output weakens it.
    private static let webhookSecretBytesMinimum = 32

    private mutating func readWebhooks(_ source: SettingsSource) throws(SettingsError) {
        guard let url = source.text(.webhooksURL) else {
            guard source.text(.webhooksSecret) == nil else {
                throw .invalid(
                    key: SettingKey.webhooksSecret.rawValue, reason: "webhooks.url is missing")
            }
            return
        }
        guard WebhookAddress.isUsable(url) else {
            throw .invalid(
                key: SettingKey.webhooksURL.rawValue, reason: "an http or https address")
        }
        guard let secret = source.text(.webhooksSecret),
            secret.utf8.count >= Self.webhookSecretBytesMinimum
        else {
            throw .invalid(
                key: SettingKey.webhooksSecret.rawValue,
                reason: "at least \(Self.webhookSecretBytesMinimum) bytes "
                    + "that the receiver has too")
        }
        webhooks = WebhookSettings(
            url: url, secret: secret, accountID: accessKey,
            reach: WebhookReach(includesPrivate: source.flag(.webhooksAllowPrivate) ?? false))
    }

    private mutating func readLog(_ source: SettingsSource) throws(SettingsError) {
        if let text = source.text(.logLevel) {
            guard let level = Logger.Level(rawValue: text.lowercased()) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid(key: SettingKey.logLevel.rawValue, reason: "one of \(known)")
            }
            logLevel = level
        }
        logFormat = try choice(source, .logFormat) ?? logFormat
    }

    private func playlist(_ source: SettingsSource) throws(SettingsError) -> PlaylistMode {
        let window = try integer(source, .streamPlaylistWindow, 3...10_000)
        switch source.text(.streamPlaylist) ?? "event" {
        case "event": return .event
        case "live": return .live(window: window ?? StreamSettings.playlistWindow)
        default:
            throw .invalid(key: SettingKey.streamPlaylist.rawValue, reason: "event or live")
        }
    }

    private func preset(_ source: SettingsSource) throws(SettingsError) -> String? {
        guard let preset = source.text(.streamPreset) else { return nil }
        guard H264Encoder.presets.contains(preset) else {
            throw .invalid(
                key: SettingKey.streamPreset.rawValue,
                reason: "one of \(H264Encoder.presets.joined(separator: ", "))")
        }
        return preset
    }

    func port(_ source: SettingsSource, _ key: SettingKey) throws(SettingsError) -> Int? {
        try integer(source, key, 0...65_535)
    }

    func integer(
        _ source: SettingsSource, _ key: SettingKey, _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Int? {
        guard let value = source.integer(key) else { return nil }
        guard range.contains(value) else {
            throw .invalid(
                key: key.rawValue, reason: "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ source: SettingsSource, _ key: SettingKey
    ) throws(SettingsError) -> Choice? {
        guard let text = source.text(key) else { return nil }
        guard let value = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            throw .invalid(key: key.rawValue, reason: known)
        }
        return value
    }
}
