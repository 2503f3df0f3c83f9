internal import MediaKernel
internal import XML
internal import XMPP

/// What the focus answers to a conference request: it is in the room.
struct ConferenceOpening: Hashable {
    let room: JID
    let focus: String

    private static let properties = ["authentication": "false", "visitors-supported": "false"]

    var element: XMLElement {
        XMLElement(
            "conference", JitsiNamespaces.focus,
            ["ready": "true", "focusjid": focus, "room": room.description],
            Self.properties.sorted { $0.key < $1.key }.map { name, value in
                XMLElement("property", JitsiNamespaces.focus, ["name": name, "value": value])
            })
    }

    /// Jicofo's properties are texts, whatever they say.
    var json: String {
        JitsiJSON.text([
            "ready": .bool(true), "focusJid": .string(focus), "room": .string(room.description),
            "properties": .object(Self.properties.mapValues { .string($0) }),
        ])
    }
}
