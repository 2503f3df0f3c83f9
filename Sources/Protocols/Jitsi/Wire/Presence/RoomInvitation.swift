internal import XML
internal import XMPP

/// An invitation to a room, which the room passes on. XEP-0045 sect. 7.8.2.
struct RoomInvitation: Hashable {
    let password: String?

    /// Nil for a stanza that is none of this room's.
    init?(_ stanza: XMLElement, to room: JID) {
        guard stanza.isNamed("message", Namespaces.client), stanza["type"] != "error",
            stanza["from"].flatMap({ JID($0) }) == room,
            let user = stanza.child("x", Namespaces.mucUser),
            user.child("invite", Namespaces.mucUser) != nil
        else { return nil }
        let secret = user.child("password", Namespaces.mucUser)?.text ?? ""
        password = secret.isEmpty || secret.utf8.count > JitsiLimits.textBytes ? nil : secret
    }

    /// Where those wait whom a room has refused for now; nil if there is no such place.
    static func lobby(_ refusal: XMLElement) -> JID? {
        let element = refusal.child("error", refusal.namespace)?
            .child("lobbyroom", JitsiNamespaces.meet)
        guard let address = element.flatMap({ JID($0.text) }), address.local != nil,
            address.resource == nil
        else { return nil }
        return address
    }
}
