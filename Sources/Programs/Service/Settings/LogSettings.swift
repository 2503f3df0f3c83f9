public import Logging

/// `log.*`.
public struct LogSettings: Hashable, Sendable {
    public var level = Logger.Level.info
    public var format = LineLogHandler.Format.logfmt

    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        if let text = source.text(.logLevel) {
            guard let level = Logger.Level(rawValue: text.lowercased()) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid(key: SettingKey.logLevel.rawValue, reason: "one of \(known)")
            }
            self.level = level
        }
        format = try source.choice(.logFormat) ?? format
    }
}
