internal import XML
internal import XMPP

/// What we show in the room: that we send nothing, and what we record.
struct OwnPresence: Hashable {
    var name: String
    /// Whether the focus may count us as a jibri. It does if our account's domain is one that it
    /// trusts.
    var isJibri: Bool
    var recording: RecordingPresence?

    var elements: [XMLElement] {
        func element(_ name: String, _ text: String) -> XMLElement {
            XMLElement(name, Namespaces.client, text: text)
        }
        var elements = [
            JitsiFeatures.capabilities(isJibri: isJibri).element,
            XMLElement("nick", JitsiNamespaces.nick, text: name),
            element("SourceInfo", SourceInfo.none),
            element("jitsi_participant_codecList", "vp8,vp9,h264,av1"),
        ]
        if isJibri {
            elements.append(
                XMLElement(
                    "features", Namespaces.client, [:],
                    [XMLElement("feature", Namespaces.client, ["var": JitsiFeatures.jibri])]))
        }
        return elements + (recording?.elements ?? [])
    }
}
