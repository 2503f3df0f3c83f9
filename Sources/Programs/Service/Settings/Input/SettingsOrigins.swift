import MediaKernel

/// What has been given, and where, be it valid or not.
struct SettingsOrigins {
    struct Entry: Hashable {
        let origin: SettingOrigin
        /// The value as given; nil for secrets.
        let text: String?
    }

    private(set) var entries: [SettingKey: Entry] = [:]
    private let file: String?
    private let places: [String: JSONLines.Place]

    init(_ input: SettingsInput) {
        file = input.file
        let bytes = input.file.flatMap { try? SettingsSource.bytes(of: $0) }
        places = bytes.map { JSONLines($0).places } ?? [:]
        for key in SettingKey.allCases {
            func shown(_ text: String) -> String? { key.isSecret ? nil : text }
            if let option = input.options[key] {
                entries[key] = Entry(origin: .option(option.name), text: shown(option.text))
            } else if let text = input.environment[key.variable], !text.isEmpty {
                entries[key] = Entry(origin: .variable(key.variable), text: shown(text))
            } else if let file, let place = places[key.rawValue] {
                entries[key] = Entry(
                    origin: .file(file, line: place.line), text: shown(place.text))
            }
        }
    }

    /// An error in full: the place, what is there, and what may have been meant.
    func explanation(of error: SettingsError) -> String {
        switch error {
        case .unknownKeys(let names, let file):
            let known = NearestNames(SettingKey.allCases.map(\.rawValue))
            return names.map { name in
                let line = places[name].map { ":\($0.line)" } ?? ""
                return "\(file)\(line): there is no setting \(name)\(known.question(after: name))"
            }.joined(separator: "\n")
        case .wrongType(let name, _):
            guard let key = key(named: name), let entry = entries[key] else { return "\(error)" }
            let found = entry.text.map { ", not \($0)" } ?? ""
            return "\(entry.origin): \(key.rawValue) must be \(key.kind.phrase)\(found)"
        case .invalid(let name, _):
            guard let key = key(named: name), let entry = entries[key] else { return "\(error)" }
            let found = entry.text.map { " (found: \($0))" } ?? ""
            return "\(entry.origin): \(error)\(found)"
        default: return "\(error)"
        }
    }

    private func key(named name: String) -> SettingKey? {
        SettingKey(rawValue: name)
            ?? SettingKey.allCases.first { $0.variable == name }
            ?? entries.first { $0.value.origin == .option(name) }?.key
    }
}

/// An error in the settings, in full.
public struct SettingsFault: Error, CustomStringConvertible {
    public let description: String
}

extension SettingsInput {
    /// Errors of the settings with the places of what was given; others as they are.
    public func explained(_ error: any Error) -> any Error {
        guard let error = error as? SettingsError else { return error }
        return SettingsFault(description: SettingsOrigins(self).explanation(of: error))
    }
}
