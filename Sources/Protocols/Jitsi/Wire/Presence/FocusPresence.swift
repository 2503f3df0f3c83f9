internal import XML

/// What the focus shows in the room.
struct FocusPresence: Hashable {
    struct Recording: Hashable {
        /// `pending`, `on` or `off`.
        var status: String
        var session: String?
        var mode: String?
        var failure: String?
    }

    /// Such as `created-ms`, in milliseconds since 1970.
    var properties: [String: String] = [:]
    var recordings: [Recording] = []
    /// There is no bridge that could carry the conference.
    var lacksBridge = false

    init(_ stanza: XMLElement) {
        for element in stanza.elements {
            switch element.name {
            case "conference-properties":
                for property in element.elements.prefix(JitsiLimits.properties) {
                    guard let key = property["key"] else { continue }
                    properties[key] = property["value"] ?? ""
                }
            case "jibri-recording-status" where recordings.count < JitsiLimits.properties:
                guard let status = element["status"] else { continue }
                recordings.append(
                    Recording(
                        status: status, session: element["session_id"],
                        mode: element["recording_mode"], failure: element["failure_reason"]))
            case "bridgeNotAvailable": lacksBridge = true
            default: break
            }
        }
    }
}
