internal import XML
internal import XMPP

/// In which conferences clients are, by their addresses outside of the rooms: what a client says to
/// the component itself names no room. As Prosody shows it, for those who hear of it to check.
struct Whereabouts {
    private static let user = Namespaces.muc + "#user"

    private var rooms: [JID: Set<JID>] = [:]

    /// Somebody's presence in a room, as the focus is shown it.
    mutating func note(_ presence: XMLElement, in room: JID) {
        guard presence.name == "presence",
            let item = presence.child("x", Self.user)?.child("item", Self.user),
            let address = item["jid"].flatMap({ JID($0) })
        else { return }
        if presence["type"] == nil {
            rooms[address, default: []].insert(room)
        } else {
            remove(address, from: room)
        }
    }

    private mutating func remove(_ address: JID, from room: JID) {
        rooms[address]?.remove(room)
        if rooms[address]?.isEmpty ?? false { rooms[address] = nil }
    }

    /// The conference is over.
    mutating func forget(_ room: JID) {
        for address in Array(rooms.keys) { remove(address, from: room) }
    }

    mutating func removeAll() { rooms = [:] }

    /// The conference of which a client speaks.
    ///
    /// - Parameter named: the one that it names.
    /// - Returns: nil if it is not there, or names none and is in several.
    func room(of address: JID, named: JID?) -> JID? {
        guard let rooms = rooms[address] else { return nil }
        if let named { return rooms.contains(named) ? named : nil }
        return rooms.count == 1 ? rooms.first : nil
    }
}
