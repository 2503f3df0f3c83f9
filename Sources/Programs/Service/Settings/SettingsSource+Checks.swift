import MediaKernel

/// Values that are checked as they are read.
extension SettingsSource {
    func integer(
        _ key: SettingKey, _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Int? {
        guard let value = integer(key) else { return nil }
        guard range.contains(value) else {
            throw .invalid(
                key: key.rawValue, reason: "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func port(_ key: SettingKey) throws(SettingsError) -> Int? { try integer(key, 0...65_535) }

    func seconds(
        _ key: SettingKey, _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Duration? {
        guard let value = number(key) else { return nil }
        guard (Double(range.lowerBound)...Double(range.upperBound)).contains(value) else {
            throw .invalid(
                key: key.rawValue,
                reason: "\(range.lowerBound) to \(range.upperBound) seconds")
        }
        return .seconds(value)
    }

    /// - Returns: nil if the setting is missing; `.some(nil)` for 0, which means for ever.
    func limit(_ key: SettingKey, _ maximum: Int) throws(SettingsError) -> Duration?? {
        guard let seconds = number(key) else { return nil }
        guard (0...Double(maximum)).contains(seconds) else {
            throw .invalid(key: key.rawValue, reason: "0 (never) to \(maximum) seconds")
        }
        return .some(seconds == 0 ? nil : .seconds(seconds))
    }

    /// A time in days; `.some(nil)` for 0.
    func days(_ key: SettingKey, reason: String) throws(SettingsError) -> Duration?? {
        guard let days = number(key) else { return nil }
        guard (0...36_500).contains(days) else {
            throw .invalid(key: key.rawValue, reason: reason)
        }
        return .some(days == 0 ? nil : .seconds((days * 86_400).rounded(.up)))
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: SettingKey
    ) throws(SettingsError) -> Choice? {
        guard let text = text(key) else { return nil }
        guard let value = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            throw .invalid(key: key.rawValue, reason: known)
        }
        return value
    }

    /// IP addresses; none if the setting is missing.
    func addresses(_ key: SettingKey) throws(SettingsError) -> [String] {
        let addresses = list(key) ?? []
        for address in addresses where TransportAddress(address, port: 0) == nil {
            throw .invalid(key: key.rawValue, reason: "'\(address)' is not an IP address")
        }
        return addresses
    }

    /// Hosts of web addresses; none if the setting is missing.
    func hosts(_ key: SettingKey, allowsHTTP: Bool) throws(SettingsError) -> WebHosts {
        guard let hosts = WebHosts(list(key) ?? [], allowsHTTP: allowsHTTP) else {
            throw .invalid(
                key: key.rawValue,
                reason: "entries are like example.org, *.example.org or example.org:8443")
        }
        return hosts
    }
}
