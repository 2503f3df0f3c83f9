internal import XML
internal import XMPP

/// How a Jingle request is refused: a condition of XMPP, sometimes with one of Jingle's own.
/// XEP-0166 sect. 10.
struct JingleRefusal: Hashable {
    let error: StanzaError
    /// Nil where XMPP's condition says it all.
    let condition: String?

    /// The session is not one of ours with that sender.
    static let unknownSession = JingleRefusal(
        error: StanzaError("item-not-found", .cancel), condition: "unknown-session")
    /// Another session with that id is there.
    static let taken = JingleRefusal(
        error: StanzaError("service-unavailable", .cancel), condition: nil)
    /// We take no calls from others than the focus.
    static let notFromFocus = JingleRefusal(
        error: StanzaError(
            "service-unavailable", .cancel, text: "this member takes no calls of other members"),
        condition: nil)
    static let unsupported = JingleRefusal(
        error: StanzaError("feature-not-implemented", .cancel), condition: nil)

    static func malformed(_ fault: JitsiFault) -> JingleRefusal {
        JingleRefusal(
            error: StanzaError("bad-request", .modify, text: fault.description), condition: nil)
    }

    func answer(to request: Request) -> XMLElement {
        var stanza = request.refusal(error)
        guard let condition, case .element(var last)? = stanza.children.last else { return stanza }
        last.children.append(.element(XMLElement(condition, JitsiNamespaces.jingleErrors)))
        stanza.children[stanza.children.count - 1] = .element(last)
        return stanza
    }
}
