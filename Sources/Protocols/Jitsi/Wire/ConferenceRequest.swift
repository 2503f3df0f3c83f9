internal import XML
internal import XMPP

/// What a client asks of the focus before it enters a room: to be there.
///
/// It never states `visitors-version`, so that it is not sent to a node of visitors: a recorder's
/// place is where the speakers are.
struct ConferenceRequest: Hashable {
    var room: JID
    /// Any name that this program keeps.
    var machineID: String
    /// Of a login of before, where the focus itself authenticates.
    var sessionID: String?

    var element: XMLElement {
        XMLElement(
            "conference", JitsiNamespaces.focus,
            ["room": room.description, "machine-uid": machineID, "session-id": sessionID],
            [
                XMLElement(
                    "property", JitsiNamespaces.focus,
                    ["name": "rtcstatsEnabled", "value": "false"])
            ])
    }
}

/// What the focus answers.
struct ConferenceAnswer: Hashable {
    /// The focus is in the room, so that others may enter.
    var isReady: Bool
    /// By what the focus is known in the room.
    var focus: JID?
    var sessionID: String?
    /// Whether the conference has begun: false for a webinar before its start.
    var isLive: Bool

    init(_ element: XMLElement) throws(JitsiFault) {
        guard element.isNamed("conference", JitsiNamespaces.focus) else {
            throw .missing("<conference>")
        }
        var properties: [String: String] = [:]
        for property in try element.children(
            "property", JitsiNamespaces.focus, maximum: JitsiLimits.properties)
        {
            properties[try property.text("name")] = property["value"] ?? ""
        }
        isReady = element["ready"] == "true"
        focus = element["focusjid"].flatMap { JID($0) }
        sessionID = element["session-id"].flatMap {
            $0.utf8.count <= JitsiLimits.attributeBytes ? $0 : nil
        }
        isLive = properties["live"] != "false"
    }
}

/// What follows from a conference request that failed.
enum ConferenceRefusal: Hashable {
    /// The room does not exist, and only those who have logged in may create it.
    case notAuthorized
    /// The session of the request is not known any more: ask again without it.
    case sessionInvalid
    /// The focus, or the way to it, is busy or away: ask again later.
    case away(String)
    /// Asking again does not help.
    case final(String)

    init(_ error: StanzaError) {
        switch error.condition {
        case "not-authorized": self = .notAuthorized
        // Jicofo adds its own `session-invalid` to this condition.
        case "not-acceptable": self = .sessionInvalid
        case "remote-server-timeout", "remote-server-not-found", "service-unavailable",
            "recipient-unavailable", "resource-constraint", "internal-server-error":
            self = .away(error.description)
        default: self = error.kind == .wait ? .away("\(error)") : .final("\(error)")
        }
    }
}
