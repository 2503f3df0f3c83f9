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

    /// The most bytes of a settings file.
    static let bytesMaximum = 1 << 20

    init(_ input: SettingsInput) throws(SettingsError) {
        unknownVariables = SettingKey.unknownVariables(in: input.environment)
        var providers: [any ConfigProvider] = []
        providers.append(
            try Self.provider("options") { input.options[$0].map { ($0.text, $0.name) } })
        providers.append(
            try Self.provider("environment") { key in
                guard let text = input.environment[key.variable], !text.isEmpty else { return nil }
                return (text, key.variable)
            })
        if let file = input.file { providers.append(try Self.fileProvider(file)) }
        reader = ConfigReader(providers: providers)
    }

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
        for (name, object) in objects {
            guard case .object(let given) = object,
                let unknown = given.keys.sorted().first(where: { !fields.contains($0) })
            else { continue }
            let place = name.isEmpty ? unknown : "\(name): \(unknown)"
            throw .invalid(
                key: key.rawValue,
                reason: "\(place) is not known\(NearestNames(fields).question(after: unknown))")
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

    private static func configKey(_ key: SettingKey) -> ConfigKey {
        ConfigKey(key.rawValue.split(separator: ".").map(String.init))
    }

    /// - Parameter find: a setting's text, and the name by which it was given.
    private static func provider(
        _ name: String, find: (SettingKey) -> (text: String, name: String)?
    ) throws(SettingsError) -> InMemoryProvider {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for key in SettingKey.allCases {
            guard let found = find(key) else { continue }
            guard let content = content(found.text, key.kind) else {
                throw .wrongType(key: found.name, expected: key.kind.rawValue)
            }
            values[AbsoluteConfigKey(configKey(key))] =
                ConfigValue(content, isSecret: key.isSecret)
        }
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

    private static func fileProvider(_ file: String) throws(SettingsError) -> InMemoryProvider {
        let data = try bytes(of: file)
        let places = JSONLines(data)
        if let twice = places.repeated.first {
            throw .unreadable(
                file: file, reason: "line \(twice.line): \(twice.name) is there a second time")
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
        guard unknown.isEmpty else { throw .unknownKeys(unknown, file: file) }
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for key in SettingKey.allCases {
            guard let leaf = leaves[key.rawValue] else { continue }
            let content =
                key.kind == .object
                ? json.text(ofObjectAt: key.rawValue).map { ConfigContent.string($0) }
                : leaf.content(key.kind)
            guard let content else {
                throw .wrongType(key: key.rawValue, expected: key.kind.rawValue)
            }
            values[AbsoluteConfigKey(configKey(key))] =
                ConfigValue(content, isSecret: key.isSecret)
        }
        return InMemoryProvider(name: file, values: values)
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
