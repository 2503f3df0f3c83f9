import Tokens

/// `auth.*`: the key that signs tokens.
public struct AccessSettings: Hashable, Sendable {
    public var key = AccessSettings.developmentKey
    public var secret = AccessSettings.developmentSecret

    /// Publicly known, so only acceptable on a loopback address.
    public static let developmentKey = "roomcast-development"
    public static let developmentSecret = "roomcast-development-secret-known-to-everybody"

    /// Whether the built-in key is in use, which `serve` warns about.
    public var usesDevelopmentKey: Bool { key == Self.developmentKey }

    /// Compares values: writing the well-known key to the file does not make it secret.
    var isWellKnown: Bool { usesDevelopmentKey || secret == Self.developmentSecret }

    /// - Parameter http: a well-known key is only allowed where nobody else reaches the server.
    mutating func read(_ source: SettingsSource, http: HTTPSettings) throws(SettingsError) {
        switch (source.text(.authAccessKey), source.text(.authSecret)) {
        case (let key?, let given?):
            self.key = key
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
        // What is said of the key is enough.
        guard !source.isLeftOut(.authAccessKey) else { return }
        guard !isWellKnown || http.isLoopback else { throw .accessKeyNeeded }
        // Behind a proxy on this machine, a server that listens on loopback is reachable by
        // everybody.
        guard !isWellKnown || http.isPublicURLLoopback else { throw .accessKeyNeededInPublic }
    }
}
