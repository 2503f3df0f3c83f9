internal import XML

/// A moderator's client ends the conference for all. It tells the component, and names no room.
enum EndOrder {
    /// Clients show it to those who were there.
    static let reason = "The meeting has been ended"

    /// Clients give it no namespace.
    static func isOne(_ message: XMLElement) -> Bool {
        message.name == "message" && message["type"] != "error"
            && message.elements.contains { $0.name == "end_conference" }
    }
}
