internal import Jibri
internal import XML
internal import XMPP

/// What a client's recording button asks of the focus.
enum RecordingOrder: Hashable {
    /// - Parameter target: where to push to; nil for a file.
    case start(target: StreamRequest?)
    /// - Parameters: what says which one: its id, or what it makes; any, if both are nil.
    case stop(session: String?, mode: RecordingMode?)

    /// - Throws: what Jicofo answers in each case.
    init(_ element: XMLElement) throws(StanzaError) {
        guard (element["sipaddress"] ?? "").allSatisfy(\.isWhitespace) else {
            throw StanzaError("service-unavailable", .cancel, text: "no gateway to telephones")
        }
        let mode = element["recording_mode"].flatMap { RecordingMode(rawValue: $0.lowercased()) }
        switch element["action"]?.lowercased() {
        case "start": self = .start(target: try Self.target(of: element, mode))
        case "stop": self = .stop(session: element["session_id"], mode: mode)
        default: throw StanzaError("bad-request", .modify, text: "undefined action")
        }
    }

    private static func target(
        of element: XMLElement, _ mode: RecordingMode?
    ) throws(StanzaError) -> StreamRequest? {
        let isEmpty = (element["streamid"] ?? "").allSatisfy(\.isWhitespace)
        if mode == .file {
            guard isEmpty else {
                throw StanzaError(
                    "bad-request", .modify, text: "Stream ID is provided for a FILE recording.")
            }
            return nil
        }
        guard !isEmpty, let request = StreamRequest(element) else {
            throw StanzaError(
                "bad-request", .modify, text: "Stream ID is empty, undefined or too long")
        }
        return request
    }
}

extension RecordingSession {
    /// As the focus shows it. Like Jicofo it names who has started it once it is on, and who has
    /// ended it once it is off.
    func status(at place: FocusPlace) -> XMLElement {
        let actor: String? =
            switch status {
            case .pending: nil
            case .on: initiator
            case .off: terminator
            }
        return XMLElement(
            "jibri-recording-status", JibriRequest.namespace,
            [
                "status": status.rawValue, "session_id": id, "recording_mode": mode.rawValue,
                "initiator": actor.map(place.occupant), "failure_reason": failure?.rawValue,
            ])
    }

    /// The answer to its start.
    var acknowledgement: XMLElement {
        XMLElement("jibri", JibriRequest.namespace, ["session_id": id])
    }
}
