import ControlAPI
import MediaKernel
import Signing
import Tokens

/// What a running server can change without ending a room or a connection.
struct LiveParts: Sendable {
    /// The settings that take effect at once.
    static let keys: Set<SettingKey> = [
        .httpCertificateFile, .httpPrivateKeyFile, .policyFile, .authAccessKey, .authSecret,
        .logLevel,
    ]

    let http: HTTPService
    let policies: PolicyStore
    let authority: TokenAuthority
    /// Derived from the secret of tokens.
    let signingKeys: [SigningKey]
    let streams: StreamService
    let level: LogLevel

    /// The new values, complete and valid.
    struct Change: Sendable {
        let settings: Settings
        let certificate: CheckedCertificate?
        let policy: StandardPolicy
    }

    /// Reads the files that the settings name.
    ///
    /// - Throws: `SettingsError`, `HTTPServiceError`.
    func checked(_ settings: Settings) throws -> Change {
        Change(
            settings: settings, certificate: try settings.httpService.certificate(),
            policy: try policies.checked(RoomcastServer.policy(settings)))
    }

    /// - Throws: `TokenKeyError`, before anything has changed.
    func use(_ change: Change) throws {
        let access = change.settings.access
        try authority.replaceKey(accessKey: access.key, secret: access.secret)
        for key in signingKeys { key.replaceSecret(Array(access.secret.utf8)) }
        if let certificate = change.certificate { http.use(certificate) }
        policies.use(change.policy)
        level.change(to: change.settings.log.level)
        streams.botLogLevel.change(to: change.settings.log.level)
    }
}
