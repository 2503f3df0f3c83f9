public import MediaKernel

/// Messages that were deleted. A value of the session's store lists them, so listeners hide them, and
/// those that come later know them too.
extension Room {
    /// A peer set the value that lists deleted messages. It adds to the list: what is deleted stays
    /// so, and two peers that delete at once undo nothing.
    ///
    /// Whoever may remove others may delete all messages; other peers only their own.
    public mutating func messagesDeleted(
        _ data: OpaqueJSON, under key: String, ifVersion version: Int?, by id: PeerID,
        at now: Instant, wall: UnixTime
    ) throws(RoomError) -> SessionStore.Entry {
        try peers.require(.broadcast, of: id)
        let peer = try peers.joinedPeer(id)
        try Check.bytes(data.text, field: "data", maximum: RoomLimits.storeValueBytes)
        let earlier = try Self.identifiers(in: store.entry(key)?.data ?? .null)
        var known = Set(earlier)
        let added = try Self.identifiers(in: data).filter { known.insert($0).inserted }
        for message in added where !sentMessages.isSender(peer, of: message) {
            try peers.require(.removeOthers, of: id)
        }
        try peers.spendFanOut(of: id, at: now)
        let entry = try store(
            Self.list(earlier + added), under: key, ifVersion: version, by: id, wall: wall)
        recentEvents.withdraw(Set(added))
        if !added.isEmpty { effects.append(.messagesDeleted(added)) }
        return entry
    }

    private static func identifiers(in data: OpaqueJSON) throws(RoomError) -> [String] {
        if data == .null { return [] }
        guard let list = try? JSONDocument.decode([String].self, from: data.text.utf8) else {
            throw .invalidField(field: "data", reason: "must be a list of messages' ids")
        }
        for message in list { try Check.identifier(message, field: "data") }
        return list
    }

    /// As many as a value holds: the earliest are left out, which are of no interest any more.
    private static func list(_ identifiers: [String]) -> OpaqueJSON {
        var texts: [String] = []
        var bytes = "[]".utf8.count
        for identifier in identifiers.reversed() {
            let text = OpaqueJSON(string: identifier).text
            bytes += text.utf8.count + ",".utf8.count
            guard bytes <= RoomLimits.storeValueBytes else { break }
            texts.append(text)
        }
        return OpaqueJSON(text: "[\(texts.reversed().joined(separator: ","))]")
    }
}
