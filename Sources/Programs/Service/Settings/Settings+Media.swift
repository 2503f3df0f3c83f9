import MediaKernel
import MediaServer
import Signing

extension Settings {
    mutating func readUDP(_ source: SettingsSource) throws(SettingsError) {
        udpHost = source.text(.udpHost) ?? udpHost
        udpPort = try port(source, .udpPort) ?? udpPort
        udpThreads = try integer(source, .udpThreads, 1...64) ?? udpThreads
        advertisedAddresses = try addresses(source, .udpAdvertisedAddresses)
    }

    mutating func readTCP(_ source: SettingsSource) throws(SettingsError) {
        if let number = try port(source, .tcpPort) {
            tcpPort = number == 0 ? .none : .number(number)
        }
        tcpAdvertisedAddresses = try addresses(source, .tcpAdvertisedAddresses)
    }

    private func addresses(
        _ source: SettingsSource, _ key: SettingKey
    ) throws(SettingsError) -> [String] {
        let addresses = source.list(key) ?? []
        for address in addresses where TransportAddress(address, port: 0) == nil {
            throw .invalid(key: key.rawValue, reason: "'\(address)' is not an IP address")
        }
        return addresses
    }

    mutating func readTURN(_ source: SettingsSource) throws(SettingsError) {
        let lifetime = try integer(source, .turnLifetimeSeconds, 60...604_800)
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
