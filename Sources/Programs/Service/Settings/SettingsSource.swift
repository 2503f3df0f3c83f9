import Configuration
import Foundation
import MediaKernel

/// The values of the settings as given: from the command line first, then the environment, then the
/// file.
///
/// The operator's input is checked before any of it is used: an unknown name or a value of the
/// wrong type is an error, never silently replaced by the default.
struct SettingsSource {
    private let reader: ConfigReader
    /// Variables with the settings' prefix that match no setting.
    let unknownVariables: [String]
    /// What is wrong with names and types.
    let faults: [SettingsError]
    /// Settings that count as not given.
    let leftOut: Set<SettingKey>

    /// The most bytes of a settings file.
    static let bytesMaximum = 1 << 20
    /// The most unknown fields of a setting that are named.
    private static let fieldsShown = 10

    /// - Throws: everything that is wrong with names and types.
    init(_ input: SettingsInput) throws(SettingsError) {
        try self.init(input, leavingOut: [])
        if let fault = SettingsError(all: faults) { throw fault }
    }

    /// Keeps what is wrong in `faults`, and leaves out what that concerns.
    ///
    /// - Parameter leftOut: settings that count as not given.
    /// - Throws: `unreadable`.
    init(_ input: SettingsInput, leavingOut leftOut: Set<SettingKey>) throws(SettingsError) {
        unknownVariables = SettingKey.unknownVariables(in: input.environment)
        var found = Found(leftOut: leftOut)
        var providers: [any ConfigProvider] = []
        providers.append(
            found.provider("options") { input.options[$0].map { ($0.text, $0.name) } })
        providers.append(
            found.provider("environment") { key in
                guard let text = input.environment[key.variable], !text.isEmpty else { return nil }
                return (text, key.variable)
            })
        if let file = input.file { providers.append(try found.fileProvider(file)) }
        reader = ConfigReader(providers: providers)
        (faults, self.leftOut) = (found.faults, found.leftOut)
    }

    func isLeftOut(_ key: SettingKey) -> Bool { leftOut.contains(key) }

    func text(_ key: SettingKey) -> String? {
        let value = reader.string(
            forKey: Self.configKey(key), isSecret: key.isSecret)
        return value?.isEmpty == true ? nil : value
    }

    /// A setting that is a JSON object, in which every field is known: whoever misspells one would
    /// miss what it says.
    ///
    /// - Parameters:
    ///   - fields: all names of fields.
    ///   - byName: whether the setting holds such objects by names of their own.
    ///   - form: says what the setting is.
    func object<Value: Decodable>(
        _ key: SettingKey, _ type: Value.Type, fields: [String], byName: Bool = false,
        form: String
    ) throws(SettingsError) -> Value? {
        guard let text = text(key) else { return nil }
        guard let json = try? JSONDocument.decode(JSONValue.self, from: text.utf8),
            case .object(let members) = json
        else { throw .invalid(key: key.rawValue, reason: form) }
        let objects = byName ? members.sorted { $0.key < $1.key } : [("", json)]
        let nearest = NearestNames(fields)
        var unknown: [String] = []
        for (name, object) in objects {
            guard case .object(let given) = object else { continue }
            unknown += given.keys.filter { !fields.contains($0) }.sorted().map { field in
                let place = name.isEmpty ? field : "\(name): \(field)"
                return "\(place) is not known\(nearest.question(after: field))"
            }
        }
        guard unknown.isEmpty else {
            let shown = unknown.prefix(Self.fieldsShown)
            throw .invalid(key: key.rawValue, reason: shown.joined(separator: "; "))
        }
        guard let value = try? JSONDocument.decode(type, from: text.utf8) else {
            throw .invalid(key: key.rawValue, reason: form)
        }
        return value
    }

    func integer(_ key: SettingKey) -> Int? { reader.int(forKey: Self.configKey(key)) }
    func number(_ key: SettingKey) -> Double? { reader.double(forKey: Self.configKey(key)) }
    func flag(_ key: SettingKey) -> Bool? { reader.bool(forKey: Self.configKey(key)) }
    func list(_ key: SettingKey) -> [String]? { reader.stringArray(forKey: Self.configKey(key)) }

    /// Each setting that is given, as one text, secrets too.
    var given: [SettingKey: String] {
        var given: [SettingKey: String] = [:]
        for key in SettingKey.allCases {
            given[key] =
                switch key.kind {
                case .text, .object: text(key)
                case .integer: integer(key).map(String.init)
                case .number: number(key).map { String($0) }
                case .flag: flag(key).map(String.init)
                case .list: list(key)?.joined(separator: "\n")
                }
        }
        return given
    }

    fileprivate static func configKey(_ key: SettingKey) -> ConfigKey {
        ConfigKey(key.rawValue.split(separator: ".").map(String.init))
    }

    static func bytes(of file: String) throws(SettingsError) -> Data {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw .unreadable(file: file, reason: error.systemReason)
        }
        guard data.count <= bytesMaximum else {
            throw .unreadable(file: file, reason: "it is larger than \(bytesMaximum) bytes")
        }
        return data
    }
}

extension SettingsSource {
    /// What is being found in the operator's input.
    fileprivate struct Found {
        /// From the start.
        let ignored: Set<SettingKey>
        var leftOut: Set<SettingKey>
        var faults: [SettingsError] = []
        var values: [AbsoluteConfigKey: ConfigValue] = [:]

        init(leftOut: Set<SettingKey>) { (ignored, self.leftOut) = (leftOut, leftOut) }
    }
}

extension SettingsSource.Found {
    private static let repeatedShown = 10

    /// - Parameter find: a setting's text, and the name by which it was given.
    mutating func provider(
        _ name: String, find: (SettingKey) -> (text: String, name: String)?
    ) -> InMemoryProvider {
        for key in SettingKey.allCases {
            guard let given = find(key) else { continue }
            take(key, Self.content(given.text, key.kind), named: given.name)
        }
        return makeProvider(name)
    }

    /// - Parameter content: nil for one of the wrong type.
    private mutating func take(_ key: SettingKey, _ content: ConfigContent?, named name: String) {
        guard !ignored.contains(key) else { return }
        guard let content else {
            faults.append(.wrongType(key: name, expected: key.kind.rawValue))
            leftOut.formUnion(key.withDependents)
            return
        }
        values[AbsoluteConfigKey(SettingsSource.configKey(key))] =
            ConfigValue(content, isSecret: key.isSecret)
    }

    private mutating func makeProvider(_ name: String) -> InMemoryProvider {
        defer { values = [:] }
        return InMemoryProvider(name: name, values: values)
    }

    private static func content(_ text: String, _ kind: SettingKey.Kind) -> ConfigContent? {
        switch kind {
        case .text, .object: return .string(text)
        case .integer: return Int(text).map { .int($0) }
        case .number: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "1": return .bool(true)
            case "false", "no", "0": return .bool(false)
            default: return nil
            }
        case .list:
            return .stringArray(
                text.split(separator: ",").map { String($0).trimmingCharacters(in: .whitespaces) })
        }
    }

    mutating func fileProvider(_ file: String) throws(SettingsError) -> InMemoryProvider {
        let data = try SettingsSource.bytes(of: file)
        let places = JSONLines(data)
        if !places.repeated.isEmpty {
            let words = places.repeated.prefix(Self.repeatedShown).map {
                "line \($0.line): \($0.name) is there a second time"
            }
            throw .unreadable(file: file, reason: words.joined(separator: "; "))
        }
        let tree: SettingsTree
        let json: JSONValue
        do {
            tree = try JSONDocument.decode(SettingsTree.self, from: data, limits: .own)
            json = try JSONDocument.decode(JSONValue.self, from: data, limits: .own)
        } catch {
            let reason = places.fault.map { "line \($0.line): \($0.reason)" }
            throw .unreadable(file: file, reason: reason ?? "it is not a JSON object")
        }
        let leaves = tree.leaves()
        let known = Set(SettingKey.allCases.map(\.rawValue))
        let unknown = leaves.keys.filter { !known.contains($0) }.sorted()
        if !unknown.isEmpty {
            faults.append(.unknownKeys(unknown, file: file))
            leaveOutWhatWasMeant(by: unknown, beside: Set(leaves.keys))
        }
        for key in SettingKey.allCases {
            guard let leaf = leaves[key.rawValue] else { continue }
            let content =
                key.kind == .object
                ? json.text(ofObjectAt: key.rawValue).map { ConfigContent.string($0) }
                : leaf.content(key.kind)
            take(key, content, named: key.rawValue)
        }
        return makeProvider(file)
    }

    /// Nobody is told that a setting is missing whose name is misspelt.
    private mutating func leaveOutWhatWasMeant(by names: [String], beside given: Set<String>) {
        let known = NearestNames(SettingKey.allCases.map(\.rawValue))
        for name in names.prefix(PartialSettings.faultsMaximum) {
            for key in known.of(name).filter({ !given.contains($0) }) {
                leftOut.formUnion(SettingKey(rawValue: key)?.withDependents ?? [])
            }
        }
    }
}

extension JSONValue {
    /// The object with a dotted name, as written; nil if the value is not an object.
    fileprivate func text(ofObjectAt name: String) -> String? {
        var value = self
        for part in name.split(separator: ".") {
            guard case .object(let fields) = value, let next = fields[String(part)] else {
                return nil
            }
            value = next
        }
        guard case .object = value, let data = try? JSONEncoder().encode(value) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A JSON file of nested objects with simple values as leaves.
private enum SettingsTree: Decodable {
    case node([String: SettingsTree])
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([String])
    case other

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: JSONKey.self) {
            var children: [String: SettingsTree] = [:]
            for key in object.allKeys {
                children[key.stringValue] = try object.decode(SettingsTree.self, forKey: key)
            }
            self = .node(children)
            return
        }
        guard !decoder.codingPath.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the file must hold an object"))
        }
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([String].self) {
            self = .list(list)
        } else {
            self = .other
        }
    }

    /// The values by their dotted names. An empty object has none.
    func leaves(prefix: String = "") -> [String: SettingsTree] {
        guard case .node(let children) = self,
            SettingKey(rawValue: prefix)?.kind != .object
        else { return [prefix: self] }
        var all: [String: SettingsTree] = [:]
        for (name, child) in children {
            all.merge(child.leaves(prefix: prefix.isEmpty ? name : "\(prefix).\(name)")) {
                first, _ in first
            }
        }
        return all
    }

    func content(_ kind: SettingKey.Kind) -> ConfigContent? {
        switch (kind, self) {
        case (.text, .text(let text)): .string(text)
        case (.integer, .number(let number)): Int(exactly: number).map { .int($0) }
        case (.number, .number(let number)): .double(number)
        case (.flag, .flag(let flag)): .bool(flag)
        case (.list, .list(let list)): .stringArray(list)
        default: nil
        }
    }
}
