internal import ControlAPI
internal import Foundation

/// Every setting with the value in force, and where it comes from.
public struct SettingsTable: Sendable {
    public struct Row: Sendable, Hashable {
        /// `http.port`
        public let name: String
        /// As given, or the default in words; nil for a secret.
        public let value: String?
        /// `/etc/roomcast.json:3`, `ROOMCAST_HTTP_PORT`, `--port`; nil for the default.
        public let origin: String?
    }

    public let rows: [Row]

    /// In the order of `docs/CONFIGURATION.md`. The values must be valid: see `Settings.init`.
    public init(_ input: SettingsInput) {
        let entries = SettingsOrigins(input).entries
        rows = SettingKey.allCases.map { key in
            guard let entry = entries[key] else {
                return Row(name: key.rawValue, value: key.defaultText, origin: nil)
            }
            return Row(
                name: key.rawValue, value: entry.text, origin: "\(entry.origin)")
        }
    }

    /// Names, values and origins in columns.
    public func lines(onlyGiven: Bool) -> [String] {
        let shown = rows.filter { !onlyGiven || $0.origin != nil }
        let names = shown.map(\.name.count).max() ?? 0
        let values = shown.map { min($0.shownValue.count, Self.valueColumnMaximum) }.max() ?? 0
        return shown.map { row in
            let name = row.name.padding(toLength: names, withPad: " ", startingAt: 0)
            let value = row.shownValue
            let space = String(repeating: " ", count: max(0, values - value.count))
            return "\(name)  \(value)\(space)  \(row.origin ?? "(default)")"
        }
    }

    private static let valueColumnMaximum = 40
}

extension SettingsTable.Row: Encodable {
    fileprivate var shownValue: String { value ?? "(secret)" }
}

extension SettingsTable {
    /// For the operator's page.
    var inForce: [SettingInForce] {
        rows.map { SettingInForce(name: $0.name, value: $0.value, origin: $0.origin) }
    }
}
