internal import XML

/// What the focus shows in the room.
struct FocusPresence: Hashable {
    /// There is no bridge that could carry the conference.
    let lacksBridge: Bool

    init(_ stanza: XMLElement) {
        lacksBridge = stanza.elements.contains { $0.name == "bridgeNotAvailable" }
    }
}
