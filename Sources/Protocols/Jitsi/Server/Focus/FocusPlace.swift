internal import Rooms
internal import XML
internal import XMPP

/// The XMPP room of a conference, and what its focus says there.
struct FocusPlace: Hashable {
    static let nick = "focus"
    private static let admin = Namespaces.muc + "#admin"
    private static let owner = Namespaces.muc + "#owner"
    private static let guestResource = "guest"

    /// Without a resource.
    let room: JID
    /// The domain of our own addresses.
    let component: String
    /// That of recorders; nil if none are shown.
    var recorders: String?

    /// Our address outside of the room. Clients take nobody without a resource for the focus.
    var focus: String { "\(Self.nick)@\(component)/\(Self.nick)" }

    func occupant(_ nick: String) -> String { "\(room)/\(nick)" }

    /// The address of a guest outside of the room.
    func guest(_ nick: String) -> String { address(nick, in: component) }

    private func address(_ nick: String, in domain: String) -> String {
        "\(nick)@\(domain)/\(Self.guestResource)"
    }

    /// Whether an address is one of ours.
    func isOurs(_ address: JID?) -> Bool {
        address.map { $0.domain == component || $0.domain == recorders } ?? false
    }

    // MARK: Presence

    /// - Parameter recording: nil if there was none.
    func entering(_ recording: RecordingSession?) -> XMLElement {
        presence(from: focus, Self.nick, [RoomPresence.entry()] + extensions(recording))
    }

    func showing(_ recording: RecordingSession?) -> XMLElement {
        presence(from: focus, Self.nick, extensions(recording))
    }

    /// A recorder is there while its session is on. Clients go by that alone.
    func entering(recorder session: RecordingSession, in domain: String) -> XMLElement {
        let shown = RecordingPresence(
            session: session.id, mode: session.mode.rawValue, viewURL: session.viewURL)
        return presence(
            from: address(session.nick, in: domain), session.nick,
            [RoomPresence.entry()] + shown.elements)
    }

    func leaving(recorder session: RecordingSession, in domain: String) -> XMLElement {
        leaving(address(session.nick, in: domain), session.nick)
    }

    func entering(_ guest: Guest) -> XMLElement {
        presence(from: self.guest(guest.nick), guest.nick, [RoomPresence.entry()] + guest.shown)
    }

    func showing(_ guest: Guest) -> XMLElement {
        presence(from: self.guest(guest.nick), guest.nick, guest.shown)
    }

    func leaving(_ nick: String) -> XMLElement { leaving(guest(nick), nick) }

    private func leaving(_ address: String, _ nick: String) -> XMLElement {
        var presence = presence(from: address, nick, [])
        presence["type"] = "unavailable"
        return presence
    }

    private func extensions(_ recording: RecordingSession?) -> [XMLElement] {
        let properties = [("bridge-count", "1"), ("visitors-enabled", "false")]
        return [
            XMLElement("nick", JitsiNamespaces.nick, text: Self.nick),
            XMLElement(
                "conference-properties", JitsiNamespaces.focus, [:],
                properties.map { key, value in
                    XMLElement("property", JitsiNamespaces.focus, ["key": key, "value": value])
                }),
        ] + (recording.map { [$0.status(at: self)] } ?? [])
    }

    private func presence(
        from: String, _ nick: String, _ children: [XMLElement]
    ) -> XMLElement {
        XMLElement(
            "presence", Namespaces.client, ["from": from, "to": occupant(nick)], children)
    }

    // MARK: Requests

    func request(
        _ id: String, _ kind: Request.Kind, _ payload: XMLElement, to: String
    ) -> XMLElement {
        XMLElement(
            "iq", Namespaces.client,
            ["type": kind.rawValue, "id": id, "from": focus, "to": to], [payload])
    }

    static let discovery = XMLElement("query", Namespaces.discoInfo)

    /// Makes a member an owner of the room, and so a moderator, or no longer one: it stays a member,
    /// since a room for members only would put it out otherwise.
    static func granting(_ address: JID, isModerator: Bool) -> XMLElement {
        XMLElement(
            "query", admin, [:],
            [
                XMLElement(
                    "item", admin,
                    [
                        "affiliation": isModerator ? "owner" : "member",
                        "jid": address.bare.description,
                    ])
            ])
    }

    static func kicking(_ nick: String, reason: String) -> XMLElement {
        XMLElement(
            "query", admin, [:],
            [
                XMLElement(
                    "item", admin, ["nick": nick, "role": "none"],
                    reason.isEmpty ? [] : [XMLElement("reason", admin, text: reason)])
            ])
    }

    static func destroying(reason: String) -> XMLElement {
        XMLElement(
            "query", owner, [:],
            [
                XMLElement(
                    "destroy", owner, [:],
                    [XMLElement("reason", owner, text: reason)])
            ])
    }

    /// - Parameter actor: the nick of whoever wants it; nil for nobody in the room.
    func muting(_ media: MutedMedia, _ isMuted: Bool, by actor: String?) -> XMLElement {
        XMLElement(
            "mute", media.namespace, ["actor": actor.map(occupant)],
            text: isMuted ? "true" : "false")
    }

    // MARK: Messages

    /// To a client itself, from the component.
    func telling(_ word: ModerationWord, to address: JID) -> XMLElement {
        XMLElement(
            "message", Namespaces.client, ["from": component, "to": "\(address)"],
            [XMLElement("json-message", JitsiNamespaces.meet, text: word.json)])
    }

    func saying(_ text: String, from nick: String, to target: String? = nil) -> XMLElement {
        XMLElement(
            "message", Namespaces.client,
            [
                "from": nick == Self.nick ? focus : guest(nick),
                "to": target.map(occupant) ?? room.description,
                "type": target == nil ? "groupchat" : "chat",
            ], [XMLElement("body", Namespaces.client, text: text)])
    }
}

/// What a member is asked to mute, by the namespaces of Jitsi's requests.
enum MutedMedia: CaseIterable {
    case audio, video, desktop

    var namespace: String {
        switch self {
        case .audio: "http://jitsi.org/jitmeet/audio"
        case .video: "http://jitsi.org/jitmeet/video"
        case .desktop: "http://jitsi.org/jitmeet/desktop"
        }
    }

    var kind: PublishParameters.Kind {
        switch self {
        case .audio: .audio
        case .video: .video
        case .desktop: .screen
        }
    }
}
