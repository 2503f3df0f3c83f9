public import MediaKernel
import XML
public import XMPP

/// What Jicofo asks of a recorder.
public enum JibriRequest: Hashable, Sendable {
    /// Of all that Jicofo asks.
    public static let namespace = JibriNames.jibri

    case start(JibriStart)
    /// - Parameter session: nil for whatever is recorded.
    case stop(session: String?)

    /// Why a request was refused, as the child of its answer.
    public enum Refusal: Error, Hashable, Sendable {
        /// No action of this protocol: an error of XMPP.
        case stanza(StanzaError)
        /// An action that cannot be done: a result, which Jicofo takes as a failed start.
        case status(JibriStatus)
    }

    /// Nil for a request of another protocol.
    public init?(_ request: Request) throws(Refusal) {
        let element = request.payload
        guard element.isNamed("jibri", JibriNames.jibri) else { return nil }
        guard request.kind == .set else {
            throw .stanza(StanzaError("feature-not-implemented", .cancel))
        }
        switch element["action"]?.lowercased() {
        case "start": self = .start(try JibriStart(element))
        case "stop": self = .stop(session: Self.text("session_id", of: element))
        default: throw .stanza(StanzaError("bad-request", .modify))
        }
    }

    /// An attribute, unless it is empty.
    static func text(_ name: String, of element: XMLElement) -> String? {
        element[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The request to record or stream a meeting.
public struct JibriStart: Hashable, Sendable {
    public enum Output: Hashable, Sendable {
        case file
        case stream(StreamRequest)
    }

    /// Of a session's name, in bytes: it names a directory. Jitsi's are UUIDs.
    public static let sessionBytesMaximum = 255
    /// Of the text of `app_data`, in bytes.
    public static let dataBytesMaximum = 64 * 1024

    /// Names the session for Jicofo, and in the room for everybody.
    public let session: String
    /// The meeting's room.
    public let room: JID
    public let output: Output
    /// `file_recording_metadata`, an object, which goes into `metadata.json`.
    public let metadata: [String: JSONValue]

    /// Refusals carry what Jibri answers in each case.
    init(_ element: XMLElement) throws(JibriRequest.Refusal) {
        let sipAddress = JibriRequest.text("sipaddress", of: element)
        if let sipAddress, sipAddress.contains(where: { !$0.isWhitespace }) {
            throw .status(JibriStatus(.off, .error(shouldRetry: false), sipAddress: sipAddress))
        }
        let faulty = JibriRequest.Refusal.status(JibriStatus(.off, .error(shouldRetry: true)))
        guard let session = JibriRequest.text("session_id", of: element),
            session.utf8.count <= Self.sessionBytesMaximum,
            let room = JibriRequest.text("room", of: element).flatMap({ JID($0) }),
            room.local != nil, room.resource == nil
        else { throw faulty }
        switch element["recording_mode"]?.lowercased() {
        case "file": output = .file
        case "stream":
            guard let stream = StreamRequest(element) else { throw faulty }
            output = .stream(stream)
        default: throw .status(JibriStatus(.off, .error(shouldRetry: false)))
        }
        guard let metadata = Self.metadata(JibriRequest.text("app_data", of: element)) else {
            throw faulty
        }
        self.session = session
        self.room = room
        self.metadata = metadata
    }

    /// Nil for a text that is no object of JSON, or too large.
    private static func metadata(_ text: String?) -> [String: JSONValue]? {
        guard let text else { return [:] }
        guard text.utf8.count <= dataBytesMaximum,
            let root = try? JSONDocument.decode(JSONValue.self, from: text.utf8),
            case .object(let members) = root
        else { return nil }
        switch members["file_recording_metadata"] {
        case .object(let metadata): return metadata
        case nil, .null: return [:]
        default: return nil
        }
    }
}
