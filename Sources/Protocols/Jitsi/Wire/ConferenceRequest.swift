internal import MediaKernel
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

    /// The same for HTTP: the body of a `POST` to `/conference-request/v1`.
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

    /// As it comes by HTTP.
    init(json: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            json, JitsiLimits.answerJSON, bytes: JitsiLimits.answerBytes,
            of: "the conference's answer")
        let properties = members["properties"]?.members ?? [:]
        guard properties.count <= JitsiLimits.properties else {
            throw .tooMany("properties", maximum: JitsiLimits.properties)
        }
        isReady = members["ready"]?.flag ?? false
        focus = members["focusJid"]?.text.flatMap { JID($0) }
        sessionID = members["sessionId"]?.text.flatMap {
            $0.utf8.count <= JitsiLimits.attributeBytes ? $0 : nil
        }
        // Jicofo's properties are texts, whatever they say.
        isLive = properties["live"]?.text != "false" && properties["live"]?.flag != false
    }
}

/// What became of a conference request.
enum ConferenceReply: Hashable {
    case answer(ConferenceAnswer)
    case refused(ConferenceRefusal)
    case malformed(JitsiFault)

    init(_ reply: CallReply) {
        switch reply {
        case .silence: self = .refused(.away("the focus does not answer"))
        case .refused(let error): self = .refused(ConferenceRefusal(error))
        case .result(let element):
            do throws(JitsiFault) {
                guard let element else { throw .missing("<conference>") }
                self = .answer(try ConferenceAnswer(element))
            } catch {
                self = .malformed(error)
            }
        }
    }

    init(status: Int, body: String) {
        switch status {
        case 200:
            do throws(JitsiFault) {
                self = .answer(try ConferenceAnswer(json: body))
            } catch {
                self = .malformed(error)
            }
        case 403: self = .refused(.notAuthorized)
        // Jicofo has one status for whatever is wrong with a request.
        case 400 where body.contains("invalid-session"): self = .refused(.sessionInvalid)
        case 429, 500...: self = .refused(.away("the focus answers with status \(status)"))
        default: self = .refused(.final("the focus answers with status \(status)"))
        }
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
