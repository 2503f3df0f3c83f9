import Signing

extension Settings {
    mutating func readTURN(_ source: SettingsSource) throws(SettingsError) {
        let lifetime = try source.integer(.turnLifetimeSeconds, 60...604_800)
        let urls = source.list(.turnURLs) ?? []
        let secret = source.text(.turnSecret)
        guard !urls.isEmpty || secret != nil || lifetime != nil else { return }
        guard (1...TURNRelay.urlsMaximum).contains(urls.count), urls.allSatisfy(TURNRelay.isURL)
        else {
            throw .invalid(
                key: SettingKey.turnURLs.rawValue,
                reason: "1 to \(TURNRelay.urlsMaximum) addresses like "
                    + "turn:relay.example.org:3478?transport=udp")
        }
        guard let secret, secret.utf8.count >= TURNCredential.secretBytesMinimum else {
            throw .invalid(
                key: SettingKey.turnSecret.rawValue,
                reason: "at least \(TURNCredential.secretBytesMinimum) bytes that the relay has too"
            )
        }
        turn = TURNRelay(
            urls: urls, secret: secret,
            lifetime: lifetime.map { .seconds($0) } ?? TURNRelay.standardLifetime)
    }
}
