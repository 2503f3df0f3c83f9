public import ControlAPI
import HLS
import Logging
import MediaKernel
import ObjectStorage
public import Sandbox
import Streams
import Webhooks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All settings of an operator, validated. `docs/CONFIGURATION.md` describes each of them.
public struct Settings: Hashable, Sendable {
    public var http = HTTPSettings()
    public var udp = UDPSettings()
    public var tcp = TCPSettings()
    /// Nil if clients need no relay.
    public var turn: TURNRelay?
    public var access = AccessSettings()
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
    public var pages = PageSettings()
    public var admin = AdminSettings()
    public var log = LogSettings()
    /// Environment variables with the settings' prefix that match no setting; `serve` warns about
    /// them. They are not errors: Kubernetes, for example, sets `<SERVICE>_PORT` and the like in
    /// every container.
    public private(set) var unknownVariables: [String] = []
    /// Words about each of them.
    public var unknownVariableWords: [String] {
        unknownVariables.map { SettingKey.words(forUnknown: $0) }
    }

    /// Environment variables to hide once they are read.
    public static let secretVariables = Set(
        SettingKey.secrets.union([.authAccessKey]).map(\.variable))

    public init() {}

    /// Reads what the operator has given, and validates it.
    ///
    /// - Throws: everything that is wrong, not only what was found first.
    public init(_ input: SettingsInput) throws(SettingsError) {
        let found = try PartialSettings(input)
        if let fault = SettingsError(all: found.faults) { throw fault }
        self = found.settings
    }

    /// - Throws: what is found first.
    init(_ source: SettingsSource) throws(SettingsError) {
        self.init()
        unknownVariables = source.unknownVariables
        try http.read(source)
        try udp.read(source)
        try tcp.read(source)
        try readTURN(source)
        try access.read(source, http: http)
        try pages.read(source, access: access)
        admin.read(source)
        try stream.read(source)
        try readBots(source)
        try stream.customView.read(source)
        try readWebhooks(source)
        store = try StoreReader(source: source).settings()
        stream.playback.copyURL = store?.copyURL
        stream.playback.isCopied = store?.copiesLive ?? false
        guard !stream.playback.isCopied || stream.container != .fragments else {
            throw .invalid(
                key: SettingKey.streamContainer.rawValue, reason: StreamSettings.Playback.notCopied)
        }
        guard stream.playback.copyURL == nil || !stream.playback.isLowLatency else {
            throw .invalid(
                key: SettingKey.streamLowLatency.rawValue,
                reason: StreamSettings.Playback.copiesAreWhole)
        }
        guard stream.playback.copyURL == nil || stream.playback.signedLifetime == nil else {
            throw .invalid(
                key: SettingKey.streamSignedPlaybackSeconds.rawValue,
                reason: StreamSettings.Playback.unsignedCopies)
        }
        try log.read(source)
        policyFile = source.text(.policyFile)
        try readRooms(source)
        stream.playback.publicBaseURL = http.publicBaseURL
        stream.log = StreamSettings.Log(level: log.level.rawValue, format: log.format.rawValue)
    }

    /// Reads only the settings needed to make tokens; the others have their defaults. The secrets
    /// of other services may be missing.
    public init(keyIn input: SettingsInput) throws(SettingsError) {
        self.init()
        let source = try SettingsSource(input)
        http.host = source.text(.httpHost) ?? http.host
        http.publicURL = source.text(.httpPublicURL)
        try access.read(source, http: http)
    }

    /// Reads only the directories of streams and recordings; other settings have their defaults.
    public init(directoriesIn input: SettingsInput) throws(SettingsError) {
        self.init()
        stream.readDirectories(try SettingsSource(input))
    }

    /// Reads only where the password of `/admin` is; other settings have their defaults.
    public init(passwordFileIn input: SettingsInput) throws(SettingsError) {
        self.init()
        admin.read(try SettingsSource(input))
    }

    public var httpService: HTTPServiceConfiguration {
        HTTPServiceConfiguration(
            host: http.host, port: http.port, certificateFile: http.certificateFile,
            privateKeyFile: http.privateKeyFile, outputDirectory: stream.outputDirectory,
            publicBaseURL: http.publicURL, servesOwnHostsOnly: access.isWellKnown,
            handsOutTokens: pages.opensTokens, listsRooms: pages.listsRooms,
            showsRecordings: access.usesDevelopmentKey,
            hlsScriptURL: pages.hlsScriptURL,
            mediaURLs: [store?.copyURL, store?.store.origin].compactMap { $0 },
            imageSources: stream.pictureHosts.sources, embedders: pages.embedders,
            pagesDirectory: pages.directory, webhooks: webhooks?.reach,
            frameRate: stream.ladder.frameRate, connectionsMaximum: http.connectionsMaximum,
            connectionsPerAddressMaximum: http.connectionsPerAddressMaximum)
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
            url: url, secret: secret, accountID: access.key,
            reach: WebhookReach(includesPrivate: source.flag(.webhooksAllowPrivate) ?? false))
    }
}
