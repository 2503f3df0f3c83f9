import HOCON

/// How webhooks prove who sends them: a bearer token, signed with the operator's RSA key
/// (`jibri.jwt-info`).
public struct JibriSigning: Hashable, Sendable {
    /// Jibri takes no less.
    static let lifetimeMinimum = Duration.seconds(600)

    /// A file in PEM form.
    public var keyFile: String
    public var keyID: String
    public var issuer: String
    public var audience: String
    public var lifetime: Duration
}

extension JibriSigning {
    /// Nil without a key's file, and if something is wrong.
    init?(_ section: SettingsReader.Section, _ reader: inout SettingsReader) {
        guard let keyFile = reader.text("signing-key-path", in: section), !keyFile.isEmpty else {
            return nil
        }
        let keyID = reader.needed("kid", in: section)
        let issuer = reader.needed("issuer", in: section)
        let audience = reader.needed("audience", in: section)
        let lifetime = reader.duration("ttl", in: section)
        if lifetime == nil, reader.isAbsent("ttl", in: section) {
            reader.say(.wrong, section.name("ttl"), "is missing", at: section.value.place)
        }
        guard let keyID, let issuer, let audience, let lifetime else { return nil }
        if lifetime < Self.lifetimeMinimum {
            reader.say(
                .noted, section.name("ttl"),
                "is less than 10 minutes, which are taken, as in Jibri",
                at: reader.place(of: "ttl", in: section))
        }
        self.init(
            keyFile: keyFile, keyID: keyID, issuer: issuer, audience: audience,
            lifetime: max(lifetime, Self.lifetimeMinimum))
    }
}
