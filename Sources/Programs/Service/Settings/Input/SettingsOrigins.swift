import Foundation
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
            let shown = names.prefix(PartialSettings.faultsMaximum).map { name in
                let line = places[name].map { ":\($0.line)" } ?? ""
                return "\(file)\(line): there is no setting \(name)\(known.question(after: name))"
            }
            let rest = names.count - shown.count
            let more = rest > 0 ? ["\(file): there are \(rest) more settings like these"] : []
            return (shown + more).joined(separator: "\n")
        case .wrongType(let name, _):
            guard let key = key(named: name), let entry = entries[key] else { return "\(error)" }
            let found = entry.text.map { ", not \($0)" } ?? ""
            return "\(entry.origin): \(key.rawValue) must be \(key.kind.phrase)\(found)"
        case .invalid(let name, _):
            guard let key = key(named: name) else { return "\(error)" }
            return explanation(of: error, at: key)
        case .accessKeyNeeded: return explanation(of: error, at: .httpHost)
        case .accessKeyNeededInPublic: return explanation(of: error, at: .httpPublicURL)
        case .several(let faults):
            return faults.map { explanation(of: $0) }.joined(separator: "\n")
        case .unreadable(let file, _): return "\(error)\(Self.neighbours(of: file))"
        case .tooFewDescriptors: return "\(error)"
        }
    }

    private func explanation(of error: SettingsError, at key: SettingKey) -> String {
        guard let entry = entries[key] else { return "\(error)" }
        let found = entry.text.map { " (found: \($0))" } ?? ""
        return "\(entry.origin): \(error)\(found)"
    }

    private static let neighboursMaximum = 1000

    /// For a file that is not there: the files with nearly the same name beside it.
    private static func neighbours(of file: String) -> String {
        let files = FileManager.default
        let path = URL(fileURLWithPath: file)
        guard !files.fileExists(atPath: file) else { return "" }
        let folder = path.deletingLastPathComponent().path
        let all = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        let alike = all.sorted().prefix(neighboursMaximum).filter {
            NearestNames([$0]).resembles(path.lastPathComponent)
        }
        return NearestNames(alike).question(after: path.lastPathComponent)
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
