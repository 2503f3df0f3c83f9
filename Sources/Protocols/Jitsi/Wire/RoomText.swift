internal import MediaKernel
internal import RemoteRoom
internal import XML
internal import XMPP

/// A message stanza of the room: chat, its subject, or JSON of an application. XEP-0045 sect. 7.4
/// to 8.1.
struct RoomText: Hashable {
    enum Content: Hashable {
        case chat(String)
        case subject(String)
        case application(OpaqueJSON)
    }

    /// A member's nick; nil for the room itself.
    let sender: String?
    /// Which the server adds for those who are no members, such as visitors.
    let senderName: String?
    let isPrivate: Bool
    /// It was said before we came.
    let isOld: Bool
    let content: Content

    /// Nil for a stanza that is no message of this room, or has nothing to be shown.
    init?(_ stanza: XMLElement, of room: JID) {
        guard stanza.isNamed("message", Namespaces.client),
            let from = stanza["from"].flatMap({ JID($0) }), from.bare == room.bare
        else { return nil }
        switch stanza["type"] {
        case "groupchat": isPrivate = false
        case "chat" where from.resource != nil: isPrivate = true
        // Jitsi's components speak to members so, from the room's own address.
        case nil, "normal", "chat": isPrivate = true
        default: return nil
        }
        sender = from.resource
        senderName = stanza.child("display-name", JitsiNamespaces.displayName)
            .map { Member.text($0) }
        isOld = stanza.elements.contains { $0.isNamed("delay", JitsiNamespaces.delay) }
        func text(_ name: String) -> String? {
            stanza.child(name, Namespaces.client)?.text
        }
        let body = text("body") ?? ""
        if let json = stanza.child("json-message", JitsiNamespaces.meet)?.text {
            guard json.utf8.count <= JitsiLimits.messageBytes,
                let document = try? JSONDocument(json, limits: .frame),
                let value = try? document.root.decode(OpaqueJSON.self)
            else { return nil }
            content = .application(value)
        } else if !isPrivate, body.isEmpty, let subject = text("subject") {
            content = .subject(Self.cut(subject))
        } else if !body.isEmpty {
            content = .chat(Self.cut(body))
        } else {
            return nil
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > JitsiLimits.messageBytes else { return text }
        return String(text.unicodeScalars.prefix(JitsiLimits.messageBytes / 4))
    }

    /// As a program that has joined the room hears it.
    var message: HeardMessage {
        let (type, content): (String, OpaqueJSON) =
            switch content {
            case .chat(let text): ("chat", OpaqueJSON(string: text))
            case .subject(let text): ("subject", OpaqueJSON(string: text))
            case .application(let json): ("json-message", json)
            }
        return HeardMessage(
            sender: sender.map { PeerID($0) }, senderName: senderName, type: type, content: content,
            isPrivate: isPrivate)
    }
}
