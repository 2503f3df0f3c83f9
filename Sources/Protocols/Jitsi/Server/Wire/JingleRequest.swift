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
    /// Whether a member that ends its session asks for another one.
    let restarts: Bool

    /// - Parameter owner: the member's nick.
    init(_ element: XMLElement, from owner: String) throws(JitsiFault) {
        let envelope = try JingleEnvelope(element)
        action = Action(rawValue: envelope.action)
        session = envelope.session
        contents = envelope.contents
        sources = try SourceListing(of: element, envelope.elements).sent(by: owner)
        restarts = element.child("bridge-session", JitsiNamespaces.focus)?["restart"] == "true"
    }
}
