internal import XML

/// What a member says in the session that the focus has begun with it.
struct JingleRequest: Hashable {
    enum Action: String {
        case sessionAccept = "session-accept"
        case sessionInfo = "session-info"
        case sessionTerminate = "session-terminate"
        case transportInfo = "transport-info"
        case sourceAdd = "source-add"
        case sourceRemove = "source-remove"
    }

    /// Nil for one that a focus does not take.
    let action: Action?
    let session: String
    let contents: [JingleContent]
    let sources: [SentSource]
    let reason: JingleReason?
    /// Whether a member that ends its session asks for another one.
    let restarts: Bool

    /// - Parameter owner: the member's nick.
    init(_ element: XMLElement, from owner: String) throws(JitsiFault) {
        guard element.isNamed("jingle", JitsiNamespaces.jingle) else { throw .missing("<jingle>") }
        action = Action(rawValue: try element.text("action", maximum: 64))
        session = try element.text("sid", maximum: 256)
        let contents = try element.children(
            "content", JitsiNamespaces.jingle, maximum: JitsiLimits.contents)
        self.contents = try contents.map { content throws(JitsiFault) in
            try JingleContent(content)
        }
        var listing = SourceListing()
        for content in contents { try listing.read(content) }
        let messages = element.elements.filter { $0.isNamed("json-message", JitsiNamespaces.meet) }
        for message in messages { try listing.read(json: message.text) }
        sources = try listing.sent(by: owner)
        reason = element.child("reason", JitsiNamespaces.jingle).map { JingleReason($0) }
        restarts = element.child("bridge-session", JitsiNamespaces.focus)?["restart"] == "true"
    }
}
