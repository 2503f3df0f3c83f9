internal import XML

/// What the other side of a session says in it. XEP-0166 sect. 7.2; Jitsi's additions
/// `source-add`, `source-remove` and `transport-replace`.
struct JingleMessage: Hashable {
    enum Action: String {
        case sessionInitiate = "session-initiate"
        case sessionInfo = "session-info"
        case sessionTerminate = "session-terminate"
        case transportInfo = "transport-info"
        case transportReplace = "transport-replace"
        case sourceAdd = "source-add"
        case sourceRemove = "source-remove"
    }

    /// Nil for one that a client does not take from the focus.
    let action: Action?
    let session: String
    let initiator: String?
    let contents: [JingleContent]
    let sources: SourceList
    /// The session at the bridge.
    let bridgeSession: String?
    let reason: JingleReason?

    init(_ element: XMLElement) throws(JitsiFault) {
        let envelope = try JingleEnvelope(element)
        action = Action(rawValue: envelope.action)
        session = envelope.session
        initiator = element["initiator"]
        contents = envelope.contents
        sources = try SourceList(of: element, envelope.elements)
        bridgeSession = element.child("bridge-session", JitsiNamespaces.focus)?["id"]
        reason = element.child("reason", JitsiNamespaces.jingle).map { JingleReason($0) }
    }

    static func isOne(_ payload: XMLElement) -> Bool {
        payload.isNamed("jingle", JitsiNamespaces.jingle)
    }
}

/// Why a session ends. XEP-0166 sect. 7.4.
struct JingleReason: Hashable {
    /// The name of the condition, such as `success`.
    var condition: String
    var text: String?

    init(_ condition: String, text: String? = nil) {
        self.condition = condition
        self.text = text
    }

    init(_ element: XMLElement) {
        let named = element.elements.first { $0.name != "text" }
        condition = String((named?.name ?? "undefined").prefix(64))
        text = element.child("text", JitsiNamespaces.jingle).map { String($0.text.prefix(256)) }
    }

    var element: XMLElement {
        XMLElement(
            "reason", JitsiNamespaces.jingle, [:],
            [XMLElement(condition, JitsiNamespaces.jingle)]
                + (text.map { [XMLElement("text", JitsiNamespaces.jingle, text: $0)] } ?? []))
    }
}
