import MediaKernel
import XML
import XMPP

@testable import Jibri

/// Facts and orders of a slot as words, for tables.
enum Script {
    static let brewery = JID("brewery@internal.example")!

    static func request(
        _ attributes: KeyValuePairs<String, String?>, id: String = "1",
        from: String? = "brewery@internal.example/focus"
    ) -> Request {
        var iq = XMLElement(
            "iq", "jabber:client", ["type": "set", "id": id, "from": from],
            [XMLElement("jibri", "http://jitsi.org/protocol/jibri")])
        iq.children = [
            .element(XMLElement("jibri", "http://jitsi.org/protocol/jibri", attributes))
        ]
        return Request(iq)!
    }

    /// `start a`, `stop a`, `yes a`, `no a`, `runs a`, `ends a`, `fails a noMedia`, `closed a`,
    /// `superseded a`, `joined`, `lost`, `full`, `free`, `sick`, `well`, `leave`. `@1` at the end
    /// names the server.
    static func fact(_ text: String) -> BrewerySlot.Fact? {
        let parts = text.split(separator: "@")
        let server = parts.count == 2 ? Int(parts[1])! : 0
        let words = parts[0].split(separator: " ").map { String($0) }
        let session = words.count > 1 ? words[1] : ""
        return switch words[0] {
        case "joined": .joined(server: server)
        case "lost": .lost(server: server)
        case "start":
            .asked(
                request([
                    "action": "start", "recording_mode": "file", "room": "r@muc.example",
                    "session_id": session,
                ]), server: server)
        case "stop":
            .asked(
                request(["action": "stop", "session_id": session.isEmpty ? nil : session]),
                server: server)
        case "yes": .admitted(session: session)
        case "no": .declined(session: session)
        case "runs": .running(session: session)
        case "ends": .ended(session: session, .finished)
        case "fails": .ended(session: session, .failed(failures[words[2]]!))
        case "closed": .closed(session: session)
        case "superseded": .superseded(session: session)
        case "full": .capacity(false)
        case "free": .capacity(true)
        case "sick": .health(false)
        case "well": .health(true)
        case "leave": .leaving
        default: nil
        }
    }

    private static let failures: [String: RecordingFailure] = [
        "noMedia": .noMedia, "encrypted": .encrypted, "disk": .disk, "target": .targetRefused,
    ]

    static func words(_ orders: [BrewerySlot.Order]) -> String {
        orders.map(words).joined(separator: ", ")
    }

    static func words(_ order: BrewerySlot.Order) -> String {
        switch order {
        case .answer(let stanza, let server): "answer \(answer(stanza))" + at(server)
        case .tell(let status, let asker, let server):
            asker.resource == "focus" ? "tell \(words(status))" + at(server) : "\(asker)"
        case .show(let status, let server):
            "show \(status.isBusy ? "busy" : "idle")\(status.isHealthy ? "" : " sick")" + at(server)
        case .admit(let start, let server): "admit \(start.session)" + at(server)
        case .begin(let start, let server): "begin \(start.session)" + at(server)
        case .end(let session, let reason): "end \(session) \(reason)"
        case .leave: "leave"
        }
    }

    private static func at(_ server: Int) -> String { server == 0 ? "" : "@\(server)" }

    static func answer(_ stanza: XMLElement) -> String {
        guard stanza["id"] == "1", stanza["to"] == "brewery@internal.example/focus" else {
            return "to another"
        }
        if stanza["type"] == "error" { return StanzaError(of: stanza).condition }
        return stanza.elements.first.flatMap { JibriStatus($0) }.map { words($0) } ?? "nothing"
    }

    static func words(_ status: JibriStatus) -> String {
        switch status.failure {
        case .busy: "busy"
        case .error(let shouldRetry): shouldRetry ? "error retry" : "error final"
        case nil: status.state.rawValue
        }
    }
}
