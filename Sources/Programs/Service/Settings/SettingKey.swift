import MediaKernel

/// A setting's name, as in the file (`http.port`); `ROOMCAST_HTTP_PORT` in the environment.
enum SettingKey: String, CaseIterable {
    case httpHost = "http.host"
    case httpPort = "http.port"
    case httpCertificateFile = "http.certificateFile"
    case httpPrivateKeyFile = "http.privateKeyFile"
    case httpPublicURL = "http.publicURL"
    case httpConnectionsMaximum = "http.connectionsMaximum"
    case httpConnectionsPerAddressMaximum = "http.connectionsPerAddressMaximum"
    case udpHost = "udp.host"
    case udpPort = "udp.port"
    case udpThreads = "udp.threads"
    case udpAdvertisedAddresses = "udp.advertisedAddresses"
    case tcpPort = "tcp.port"
    case tcpAdvertisedAddresses = "tcp.advertisedAddresses"
    case turnURLs = "turn.urls"
    case turnSecret = "turn.secret"
    case turnLifetimeSeconds = "turn.lifetimeSeconds"
    case authAccessKey = "auth.accessKey"
    case authSecret = "auth.secret"
    case outputDirectory = "output.directory"
    case recordingsDirectory = "recordings.directory"
    case recordingsKeepDays = "recordings.keepDays"
    case recordingsThumbnails = "recordings.thumbnails"
    case recordingsStoreEndpoint = "recordings.store.endpoint"
    case recordingsStoreRegion = "recordings.store.region"
    case recordingsStoreBucket = "recordings.store.bucket"
    case recordingsStorePrefix = "recordings.store.prefix"
    case recordingsStoreAddressing = "recordings.store.addressing"
    case recordingsStoreAccessKeyID = "recordings.store.accessKeyID"
    case recordingsStoreSecretAccessKey = "recordings.store.secretAccessKey"
    case recordingsStoreSessionToken = "recordings.store.sessionToken"
    case recordingsStoreCredentialsFile = "recordings.store.credentialsFile"
    case recordingsStoreEncryption = "recordings.store.encryption"
    case recordingsStoreKMSKeyID = "recordings.store.kmsKeyID"
    case recordingsStorePartMebibytes = "recordings.store.partMebibytes"
    case recordingsStoreKeepLocal = "recordings.store.keepLocal"
    case recordingsStoreRetryMaximumSeconds = "recordings.store.retryMaximumSeconds"
    case recordingsStoreTimeoutSeconds = "recordings.store.timeoutSeconds"
    case recordingsStoreLive = "recordings.store.live"
    case recordingsStoreLiveURL = "recordings.store.liveURL"
    case webhooksURL = "webhooks.url"
    case webhooksSecret = "webhooks.secret"
    case webhooksAllowPrivate = "webhooks.allowPrivate"
    case policyFile = "policy.file"
    case roomsOpenOnJoin = "rooms.openOnJoin"
    case roomsMaximum = "rooms.maximum"
    case roomsPeersMaximum = "rooms.peersMaximum"
    case roomsLargeRoomPeers = "rooms.largeRoomPeers"
    case roomsConnectionsMaximum = "rooms.connectionsMaximum"
    case roomsTracksPerPeerMaximum = "rooms.tracksPerPeerMaximum"
    case roomsRequestsPerSecond = "rooms.requestsPerSecond"
    case roomsRequestsBurst = "rooms.requestsBurst"
    case roomsReadsPerSecond = "rooms.readsPerSecond"
    case roomsReadsBurst = "rooms.readsBurst"
    case roomsSessionsKeepDays = "rooms.sessionsKeepDays"
    case roomsAbsenceSeconds = "rooms.absenceSeconds"
    case roomsSilenceSeconds = "rooms.silenceSeconds"
    case roomsOutboxMessages = "rooms.outboxMessages"
    case roomsOutboxBytes = "rooms.outboxBytes"
    case roomsVideoOrientation = "rooms.videoOrientation"
    case openViduSecret = "openvidu.secret"
    case openViduServers = "openvidu.servers"
    case openViduPublicAccess = "openvidu.recordingPublicAccess"
    case openViduAutostopSeconds = "openvidu.recordingAutostopSeconds"
    case openViduWebhookURL = "openvidu.webhook.url"
    case openViduWebhookHeaders = "openvidu.webhook.headers"
    case openViduWebhookEvents = "openvidu.webhook.events"
    case jitsiDeployments = "jitsi.deployments"
    case jitsiFocus = "jitsi.focus"
    case streamLadder = "stream.ladder"
    case streamFrameRate = "stream.frameRate"
    case streamSegmentSeconds = "stream.segmentSeconds"
    case streamPlaylist = "stream.playlist"
    case streamPlaylistWindow = "stream.playlistWindow"
    case streamContainer = "stream.container"
    case streamLowLatency = "stream.lowLatency"
    case streamLayout = "stream.layout"
    case streamPreset = "stream.preset"
    case streamEncoder = "stream.encoder"
    case streamEmptyTimeoutSeconds = "stream.emptyTimeoutSeconds"
    case streamIdleTimeoutSeconds = "stream.idleTimeoutSeconds"
    case streamMaximumSeconds = "stream.maximumSeconds"
    case streamSignedPlaybackSeconds = "stream.signedPlaybackSeconds"
    case streamAutoStart = "stream.autoStart"
    case streamAutoStartRecording = "stream.autoStartRecording"
    case streamSourceHosts = "stream.sourceHosts"
    case streamPushHosts = "stream.pushHosts"
    case streamMaximum = "stream.maximum"
    case streamIdleCoresMinimum = "stream.idleCoresMinimum"
    case streamVariantsPerRoomMaximum = "stream.variantsPerRoomMaximum"
    case botsUser = "bots.user"
    case captionsLanguages = "captions.languages"
    case captionsSTTCommand = "captions.stt.command"
    case captionsSTTLanguage = "captions.stt.language"
    case customViewEnabled = "customView.enabled"
    case customViewHosts = "customView.hosts"
    case customViewMaximum = "customView.maximum"
    case customViewMemoryMaximum = "customView.memoryMaximum"
    case customViewCoresMaximum = "customView.coresMaximum"
    case picturesHosts = "pictures.hosts"
    case picturesAllowHTTP = "pictures.allowHTTP"
    case pagesOpenTokens = "pages.openTokens"
    case pagesListRooms = "pages.listRooms"
    case pagesHLSScriptURL = "pages.hlsScriptURL"
    case pagesEmbedders = "pages.embedders"
    case pagesDirectory = "pages.directory"
    case metricsHost = "metrics.host"
    case metricsPort = "metrics.port"
    case adminPasswordFile = "admin.passwordFile"
    case logLevel = "log.level"
    case logFormat = "log.format"

    enum Kind: String {
        case text
        case integer = "whole number"
        case number
        case flag = "true or false"
        /// A list of texts; comma-separated in the environment.
        case list = "list of texts"
        /// A JSON object; its text in the environment.
        case object = "JSON object"

        /// `a whole number`
        var phrase: String { self == .flag ? rawValue : "a \(rawValue)" }
    }

    var kind: Kind {
        switch self {
        case .httpPort, .udpPort, .udpThreads, .tcpPort, .metricsPort, .streamFrameRate,
            .streamPlaylistWindow,
            .streamMaximum, .streamVariantsPerRoomMaximum, .recordingsStorePartMebibytes,
            .turnLifetimeSeconds, .httpConnectionsMaximum, .httpConnectionsPerAddressMaximum,
            .roomsMaximum, .roomsPeersMaximum, .roomsLargeRoomPeers, .roomsConnectionsMaximum,
            .roomsTracksPerPeerMaximum, .roomsRequestsPerSecond, .roomsRequestsBurst,
            .roomsReadsPerSecond, .roomsReadsBurst,
            .roomsOutboxMessages, .roomsOutboxBytes, .customViewMaximum,
            .customViewMemoryMaximum, .customViewCoresMaximum:
            .integer
        case .streamSegmentSeconds, .streamEmptyTimeoutSeconds, .streamIdleTimeoutSeconds,
            .streamMaximumSeconds, .streamSignedPlaybackSeconds, .streamIdleCoresMinimum,
            .recordingsKeepDays,
            .recordingsStoreRetryMaximumSeconds,
            .recordingsStoreTimeoutSeconds, .roomsSessionsKeepDays, .roomsAbsenceSeconds,
            .roomsSilenceSeconds, .openViduAutostopSeconds:
            .number
        case .pagesOpenTokens, .pagesListRooms, .picturesAllowHTTP, .webhooksAllowPrivate,
            .recordingsStoreKeepLocal,
            .recordingsStoreLive, .streamLowLatency, .roomsOpenOnJoin, .roomsVideoOrientation,
            .customViewEnabled, .openViduPublicAccess:
            .flag
        case .udpAdvertisedAddresses, .tcpAdvertisedAddresses, .turnURLs, .streamLadder,
            .captionsLanguages, .captionsSTTCommand,
            .streamAutoStartRecording, .streamSourceHosts, .streamPushHosts, .picturesHosts,
            .customViewHosts, .pagesEmbedders, .openViduWebhookHeaders, .openViduWebhookEvents:
            .list
        case .streamLayout, .recordingsThumbnails, .openViduServers, .jitsiDeployments, .jitsiFocus:
            .object
        case .httpHost, .httpCertificateFile, .httpPrivateKeyFile, .httpPublicURL, .udpHost,
            .turnSecret, .authAccessKey, .authSecret, .openViduSecret, .outputDirectory,
            .recordingsDirectory,
            .recordingsStoreEndpoint, .recordingsStoreRegion, .recordingsStoreBucket,
            .recordingsStorePrefix, .recordingsStoreAddressing, .recordingsStoreAccessKeyID,
            .recordingsStoreSecretAccessKey, .recordingsStoreSessionToken,
            .recordingsStoreCredentialsFile, .recordingsStoreEncryption,
            .recordingsStoreKMSKeyID, .recordingsStoreLiveURL,
            .webhooksURL, .webhooksSecret, .openViduWebhookURL, .policyFile, .streamPlaylist,
            .streamContainer,
            .streamPreset, .streamEncoder, .streamAutoStart, .captionsSTTLanguage, .botsUser,
            .pagesHLSScriptURL,
            .pagesDirectory, .metricsHost, .adminPasswordFile,
            .logLevel, .logFormat:
            .text
        }
    }

    /// Kept out of logs and child processes.
    var isSecret: Bool { Self.secrets.contains(self) }

    static let secrets: Set<SettingKey> = [
        .authSecret, .turnSecret, .webhooksSecret, .openViduSecret, .openViduServers,
        .openViduWebhookHeaders, .jitsiDeployments, .jitsiFocus,
        .recordingsStoreSecretAccessKey, .recordingsStoreSessionToken,
    ]

    private static let variablePrefix = "ROOMCAST_"

    /// The variables that have the settings' prefix but match no setting, sorted.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = Set(allCases.map(\.variable))
        return environment.keys.filter { $0.hasPrefix(variablePrefix) && !known.contains($0) }
            .sorted()
    }

    static var nearestVariables: NearestNames { NearestNames(allCases.map(\.variable)) }

    /// `ROOMCAST_HTTP_PROT is no setting; did you mean ROOMCAST_HTTP_PORT?`
    static func words(forUnknown variable: String) -> String {
        "\(variable) is no setting\(nearestVariables.question(after: variable))"
    }

    /// `http.publicURL` → `ROOMCAST_HTTP_PUBLIC_URL`: a new word before each capital that follows
    /// a small letter or stands before one.
    var variable: String {
        let characters = Array(rawValue)
        var name = Self.variablePrefix
        for (index, character) in characters.enumerated() {
            if character == "." {
                name += "_"
                continue
            }
            if character.isUppercase, index > 0, characters[index - 1] != "." {
                let followsSmall = characters[index - 1].isLowercase
                let beginsWord =
                    index + 1 < characters.count && characters[index + 1].isLowercase
                if followsSmall || beginsWord { name += "_" }
            }
            name += character.uppercased()
        }
        return name
    }
}

/// An error in the settings, with name and reason for the operator.
public enum SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(file: String, reason: String)
    case unknownKeys([String], file: String)
    case wrongType(key: String, expected: String)
    case invalid(key: String, reason: String)
    /// At least two, none of them of this case.
    case several([SettingsError])
    case accessKeyNeeded
    case accessKeyNeededInPublic
    /// The limit on file descriptors is too low. `needed` includes the server's `own` descriptors
    /// and a free `reserve`.
    case tooFewDescriptors(limit: Int, needed: Int, own: Int, reserve: Int)

    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
        case .unknownKeys(let keys, let file):
            "\(file) has settings that do not exist: \(keys.joined(separator: ", "))"
        case .wrongType(let key, let expected): "\(key) must be: \(expected)"
        case .invalid(let key, let reason): "\(key) is not valid: \(reason)"
        case .several(let faults): faults.map(\.description).joined(separator: "; ")
        case .accessKeyNeeded:
            "auth.accessKey and auth.secret must be set: the built-in development key is only "
                + "accepted while http.host is a loopback address; \(Self.ownKey), or set "
                + "http.host to 127.0.0.1"
        case .accessKeyNeededInPublic:
            "auth.accessKey and auth.secret must be set: the built-in development key is only "
                + "accepted while http.publicURL, where it is set, names a loopback address; "
                + Self.ownKey
        case .tooFewDescriptors(let limit, let needed, let own, let reserve):
            "the limit of \(limit) file descriptors is too low: \(needed) are needed at least, of "
                + "which the server has \(own) open itself and keeps \(reserve) free; raise "
                + "RLIMIT_NOFILE (LimitNOFILE= of systemd, --ulimit nofile= of containers)"
        }
    }

    private static let ownKey =
        "choose a key, and make a secret with `openssl rand -hex 32`"
}
