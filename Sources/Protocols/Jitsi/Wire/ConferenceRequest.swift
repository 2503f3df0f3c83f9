internal import MediaKernel
internal import XML
internal import XMPP

/// What a client asks of the focus before it enters a room: to be there. As a stanza, or as JSON by
/// HTTP to `/conference-request/v1` (jicofo, doc/conference-request.md).
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

    var json: String {
        var members: [String: JSONValue] = [
            "room": .string(room.description), "machineUid": .string(machineID),
            "properties": .object(["rtcstatsEnabled": .bool(false)]),
        ]
        if let sessionID { members["sessionId"] = .string(sessionID) }
        return JitsiJSON.text(members)
    }
}

/// What the focus answers.
struct ConferenceAnswer: Hashable {
    /// The focus is in the room, so that others may enter.
    var isReady: Bool
    /// By what the focus is known in the room.
    var focus: JID?
    var sessionID: String?
    /// The node to which a visitor is sent. Of no concern to a recorder.
    var visitorNode: String?
    /// Whether the conference has begun: false for a webinar before its start.
    var isLive: Bool
    /// Whether rooms are created by those who have logged in only.
    var needsLogin: Bool

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
        self.init(
            isReady: element["ready"] == "true", focus: element["focusjid"],
            session: element["session-id"], node: element["vnode"], properties)
    }

    /// - Parameter json: the body of the answer by HTTP. Its properties are texts or flags.
    init(json: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            json, JitsiLimits.memberJSON, bytes: JitsiLimits.memberJSONBytes,
            of: "the conference's answer")
        let properties = (members["properties"]?.members ?? [:]).compactMapValues { value in
            value.text ?? value.flag.map { "\($0)" }
        }
        self.init(
            isReady: members["ready"]?.flag == true, focus: members["focusJid"]?.text,
            session: members["sessionId"]?.text, node: members["vnode"]?.text, properties)
    }

    private init(
        isReady: Bool, focus: String?, session: String?, node: String?,
        _ properties: [String: String]
    ) {
        self.isReady = isReady
        self.focus = focus.flatMap { JID($0) }
        sessionID = session.flatMap { $0.utf8.count <= JitsiLimits.attributeBytes ? $0 : nil }
        visitorNode = node
        isLive = properties["live"] != "false"
        needsLogin = properties["authentication"] == "true"
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

    /// - Parameters:
    ///   - status: of the answer by HTTP.
    ///   - body: its text, in which the focus names an invalid session.
    init(status: Int, body: String) {
        switch status {
        case 401, 403: self = .notAuthorized
        case 400 where body.contains("invalid-session"): self = .sessionInvalid
        case 429, 500...: self = .away("status \(status)")
        default: self = .final("status \(status)")
        }
    }
}
