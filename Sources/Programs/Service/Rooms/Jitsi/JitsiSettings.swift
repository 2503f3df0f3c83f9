import Jitsi
import MediaKernel

/// `jitsi.focus`: the XMPP server beside which we are the focus of Jitsi's clients.
struct JitsiSettings: Hashable, Sendable, Decodable {
    static let standardPort: UInt16 = 5347

    /// Where it takes components: `host:port`, or the host alone.
    var server: String
    /// Our domain.
    var component: String
    var secret: String
    /// The domain of its rooms.
    var rooms: String
    /// Another domain of ours, whose occupants clients hide.
    var recorders: String?
    var firstRole: String?
    var role: String?
    /// The rooms that may be entered; nil for all.
    var open: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case server, component, secret, rooms, recorders, firstRole, role, open
    }

    private static let textBytesMaximum = 1023
    private static let roomsMaximum = 10_000

    /// The rule that it breaks; nil if there is none.
    var fault: String? {
        let texts =
            [server, component, secret, rooms] + [firstRole, role, recorders].compactMap(\.self)
        guard texts.allSatisfy({ 1...Self.textBytesMaximum ~= $0.utf8.count }) else {
            return "a value is empty or too long"
        }
        guard place != nil else { return "server is like 127.0.0.1:5347" }
        let domains = [component, rooms] + (recorders.map { [$0] } ?? [])
        guard Set(domains.map { $0.lowercased() }).count == domains.count else {
            return "component, rooms and recorders are different domains"
        }
        guard let open else { return nil }
        guard open.count <= Self.roomsMaximum, open.allSatisfy(RoomID.isValid) else {
            return "open is a list of rooms"
        }
        return nil
    }

    var place: (host: String, port: Int)? {
        let parts = server.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (String(host), Int(Self.standardPort)) }
        return UInt16(parts[1]).flatMap { $0 > 0 ? (String(host), Int($0)) : nil }
    }

    var focus: FocusSettings {
        var settings = FocusSettings(
            component: component.lowercased(), rooms: rooms.lowercased())
        settings.recorders = recorders?.lowercased()
        settings.firstRole = firstRole ?? settings.firstRole
        settings.role = role ?? settings.role
        settings.open = open.map(Set.init)
        return settings
    }
}

extension Settings {
    mutating func readFocus(_ source: SettingsSource) throws(SettingsError) {
        guard
            let settings = try source.object(
                .jitsiFocus, JitsiSettings.self,
                fields: JitsiSettings.CodingKeys.allCases.map(\.rawValue),
                form: "an object of server, component, secret and rooms")
        else { return }
        if let fault = settings.fault {
            throw .invalid(key: SettingKey.jitsiFocus.rawValue, reason: fault)
        }
        rooms.jitsi = settings
    }
}

extension RoomSettings {
    /// As which Jitsi's clients come; nil if they do not.
    var jitsiRole: String? { jitsi?.focus.role }
}
