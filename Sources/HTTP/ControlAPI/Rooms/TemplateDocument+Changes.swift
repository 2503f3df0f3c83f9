import HundredMSTerms
import MediaKernel
import Rooms

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes of a template, and its form in answers.
extension TemplateDocument {
    /// Replaces the role of this name, or adds it.
    ///
    /// - Parameter body: may rename the role; subscriptions to it then follow.
    /// - Throws: a 409 when another role has the new name.
    mutating func setRole(_ name: String, to body: Object) throws(APIError) {
        let newName = try Self.name(of: body, called: name)
        if newName != name {
            guard roles[newName] == nil else {
                throw .conflict("name is taken", "role '\(newName)'")
            }
            roles[name] = nil
            replaceSubscriptions(to: name, by: newName)
        }
        roles[newName] = .object(Self.completed(body, name: newName))
    }

    /// The new name of a role with this name.
    static func name(of role: Object, called name: String) throws(APIError) -> String {
        switch role["name"] {
        case nil, .null: name
        case .string(let newName): newName
        default: throw .badRequest("malformed body", "name is not of type string")
        }
    }

    /// - Throws: a 404 for a role that does not exist.
    mutating func removeRole(_ name: String) throws(APIError) {
        guard roles.removeValue(forKey: name) != nil else { throw .roleNotFound(name) }
        replaceSubscriptions(to: name, by: nil)
    }

    private mutating func replaceSubscriptions(to name: String, by newName: String?) {
        for (key, role) in roles {
            guard case .object(var fields) = role,
                case .object(var parameters) = fields["subscribeParams"],
                case .array(let names) = parameters["subscribeToRoles"]
            else { continue }
            parameters["subscribeToRoles"] = .array(
                names.compactMap { $0 == .string(name) ? newName.map { .string($0) } : $0 })
            fields["subscribeParams"] = .object(parameters)
            roles[key] = .object(fields)
        }
    }

    /// - Throws: a 400 when one of them is not an object.
    mutating func setRoles(_ bodies: Object) throws(APIError) {
        roles = [:]
        for (name, body) in bodies {
            guard case .object(let fields) = body else {
                throw .badRequest("malformed body", "roles.\(name) is not of type object")
            }
            roles[name] = .object(Self.completed(fields, name: name))
        }
    }

    /// Adds the role's own name, as in 100ms, and 100ms' defaults for missing fields: the role
    /// publishes everything, receives everything, and may stream and record. In a policy file a
    /// missing field denies. The defaults are stored, so that missing fields in a template mean the
    /// same in both.
    private static func completed(_ role: Object, name: String) -> Object {
        var role = role
        role["name"] = .string(name)
        // 100ms has no hidden roles, and they may not publish.
        guard name != HundredMSTerms.recorderRole, role["isHidden"] != .bool(true) else {
            return role
        }
        if role["publishParams"] ?? .null == .null {
            let kinds = PublishParameters.Kind.allCases.map { JSONValue.string($0.rawValue) }
            role["publishParams"] = .object(["allowed": .array(kinds)])
        }
        if role["subscribeParams"] ?? .null == .null {
            role["subscribeParams"] = .object([
                "subscribeToRoles": .array([.string(SubscribeParameters.everyRole)])
            ])
        }
        let granted: Object = [
            "browserRecording": .bool(true), "hlsStreaming": .bool(true),
            "rtmpStreaming": .bool(true),
        ]
        switch role["permissions"] ?? .null {
        case .null: role["permissions"] = .object(granted)
        case .object(let written):
            role["permissions"] = .object(
                granted.merging(written) { $1 == .null ? $0 : $1 })
        // The check refuses it.
        default: break
        }
        return role
    }

    /// Sets the settings, with 100ms' default for what clients see in a preview before they join:
    /// nothing. In a policy file the default is everything.
    mutating func setSettings(_ body: Object) {
        settings = body
        guard body["roomState"] ?? .null == .null else { return }
        let standard = RoomStateSettings()
        settings["roomState"] = .object([
            "enabled": .bool(standard.isEnabled), "sendPeerList": .bool(standard.sendsPeers),
            "messageInterval": .integer(Int64(standard.interval)),
            "stopRoomStateOnJoin": .bool(true),
        ])
    }

    /// - Throws: a 400 for invalid or unsupported settings.
    func checkSettings() throws(APIError) {
        switch settings["region"] {
        case nil, .null: break
        case .string(let region) where Limits.regions.contains(region): break
        default: throw .regionNotSupported()
        }
        switch settings["recording"] {
        case nil, .null: break
        case .object(let fields) where (fields["upload"] ?? .null).isBlank: break
        default:
            // It would contain a secret that the server does not need.
            throw .badRequest(
                "settings.recording.upload is not supported",
                "where recordings go is the server's own setting")
        }
    }

    /// At most one configuration, as in 100ms.
    ///
    /// - Throws: a 400 for invalid or unsupported recordings.
    func checkRecordings() throws(APIError) {
        guard let recordings, recordings != .null else { return }
        guard case .array(let all) = recordings, all.count <= 1 else {
            throw .badRequest("recordings are not valid", "a list of at most one")
        }
        guard case .object(let fields)? = all.first else {
            guard all.isEmpty else {
                throw .badRequest("recordings are not valid", "[0] is not of type object")
            }
            return
        }
        guard case .string(let name)? = fields["name"], !name.isEmpty else {
            throw .badRequest("recordings are not valid", "[0].name is missing")
        }
        if case .string(let role)? = fields["role"], !role.isEmpty, roles[role] == nil {
            throw .badRequest("recordings are not valid", "[0].role: no role is called '\(role)'")
        }
    }

    // MARK: - Shown

    /// A role with all its fields, including defaults; nil if it does not exist.
    func shownRole(_ name: String) -> JSONValue? {
        guard let written = roles[name] else { return nil }
        guard let data = try? JSON.data(written),
            let role = try? JSONDocument.decode(Role.self, from: data),
            let whole = try? JSONValue(encoding: role)
        else { return written }
        return whole.completed(by: written)
    }

    var shownRoles: Object {
        roles.keys.reduce(into: [:]) { $0[$1] = shownRole($1) }
    }

    var shownSettings: Object {
        settings.merging(["region": .string("auto"), "recording": .null]) { written, _ in written }
    }
}

extension JSONValue {
    /// Whether it contains no values, however many fields it has.
    fileprivate var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let values): values.isEmpty
        case .object(let fields): fields.values.allSatisfy(\.isBlank)
        case .bool, .integer, .number: false
        }
    }

    /// This value, with the additional fields of another object.
    fileprivate func completed(by other: JSONValue) -> JSONValue {
        guard case .object(let fields) = self, case .object(let others) = other else { return self }
        return .object(fields.merging(others) { $0.completed(by: $1) })
    }
}

extension APIError {
    static func roleNotFound(_ name: String) -> APIError {
        .notFound("role not found", "role '\(name)'")
    }

    static func regionNotSupported() -> APIError {
        .badRequest(
            "region is not supported", "one of \(Limits.regions.joined(separator: ", "))")
    }
}
