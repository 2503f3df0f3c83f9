public import MediaKernel

/// Messages of peers: about themselves, to each other, and to the session.
extension Room {
    /// A peer changed its name or its metadata.
    public mutating func peerUpdated(
        _ id: PeerID, name: String?, metadata: String?, at now: Instant
    ) throws(RoomError) {
        _ = try peers.joinedPeer(id)
        try Check.description(name: name, metadata: metadata)
        try peers.spendFanOut(of: id, at: now)
        describe(id, name: name, metadata: metadata)
    }

    mutating func describe(_ id: PeerID, name: String?, metadata: String?) {
        if let name { peers[id]?.name = name }
        if let metadata { peers[id]?.metadata = metadata }
        tellUpdated(id)
    }

    /// A peer sent a message. Its sender is not notified; it gets the returned message.
    public mutating func messageSent(
        by id: PeerID, to audience: Audience, type: String, body: OpaqueJSON,
        replyTo: String? = nil, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> Message {
        try peers.require(.broadcast, of: id)
        let sender = try peers.joinedPeer(id)
        try Check.message(type: type, body: body, replyTo: replyTo)
        try peers.checkAudience(audience)
        try peers.spendFanOut(of: id, at: now)
        let message = send(
            audience, type: type, body: body, replyTo: replyTo, from: sender, at: now, wall: wall)
        sentMessages.add(message.id, by: sender)
        return message
    }

    /// - Parameter sender: nil for the operator.
    mutating func send(
        _ audience: Audience, type: String, body: OpaqueJSON, replyTo: String? = nil,
        from sender: Peer?, at now: Instant, wall: UnixTime
    ) -> Message {
        let message = Message(
            id: Hexadecimal.identifier(using: &random), sender: sender, audience: audience,
            type: type, body: body, replyTo: replyTo, sentAt: wall)
        say(
            .messageSent(message), to: Addressees(audience: audience, sender: sender?.id), at: now)
        return message
    }

    /// A peer searched for others by name; all visible peers can be found, including itself, and an
    /// empty text finds all of them.
    public mutating func peersSearched(
        _ query: String, limit: Int?, offset: Int?, by id: PeerID, at now: Instant
    ) throws(RoomError) -> PeerSearch {
        _ = try peers.joinedPeer(id)
        try Check.name(query, field: "query")
        // A search notifies no peer, but it reads all names.
        try peers.spendFanOut(of: id, at: now)
        return PeerSearch(of: query, in: peers.visible, limit: limit, offset: offset)
    }

    /// A peer set a value of the session's store. The listeners are notified.
    ///
    /// - Parameter rule: what the value means to the room.
    public mutating func valueSet(
        _ key: String, to data: OpaqueJSON, ifVersion version: Int?,
        _ rule: SessionStore.Rule = .anything, by id: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> SessionStore.Entry {
        try peers.require(.broadcast, of: id)
        var value = data
        var deleted: [String] = []
        if rule == .deletedMessages {
            var list = try MessageList(store.entry(key)?.data ?? .null)
            deleted = list.add(try MessageList(data))
            value = list.data
            let peer = try peers.joinedPeer(id)
            for message in deleted where !sentMessages.isSender(peer, of: message) {
                try peers.require(.removeOthers, of: id)
            }
        }
        try peers.spendFanOut(of: id, at: now)
        let entry = try store.set(key, to: value, ifVersion: version, by: id, wall: wall)
        let listeners = store.listeners(to: key)
        effects.tell(peers.reachable().filter(listeners.contains), .storeChanged([entry]))
        recentEvents.withdraw(Set(deleted))
        if !deleted.isEmpty { effects.append(.messagesDeleted(deleted)) }
        return entry
    }

    /// A peer set the keys that it listens to, replacing all earlier ones. It gets their values.
    public mutating func valuesListened(_ keys: [String], by id: PeerID) throws(RoomError) {
        let peer = try peers.joinedPeer(id)
        let entries = try store.listen(keys, by: id)
        if !entries.isEmpty, peer.isReachable { effects.tell([id], .storeChanged(entries)) }
    }

    /// The streams, recordings or pushes of this room changed. All peers are told, including hidden
    /// ones; late joiners read ``streaming``.
    public mutating func streamingChanged(_ change: StreamingChange) {
        let news = streaming.apply(change)
        guard !news.isEmpty else { return }
        let recipients = peers.reachable()
        for event in news { effects.tell(recipients, event) }
        effects.append(.refreshPreviews)
    }

    /// A peer made a request that is fulfilled elsewhere and notifies others: its media's offer, or
    /// a change of the room's streams. Checks its permissions and its rate.
    ///
    /// - Parameter message: one that the room does not send, but whose length it checks.
    public mutating func fanOutRequested(
        _ permissions: [Permission] = [], with message: (type: String, body: OpaqueJSON)? = nil,
        by id: PeerID, at now: Instant
    ) throws(RoomError) {
        _ = try peers.joinedPeer(id)
        for permission in permissions { try peers.require(permission, of: id) }
        if let message { try Check.message(type: message.type, body: message.body) }
        try peers.spendFanOut(of: id, at: now)
    }

    /// A peer reads data of the room, which may be large and is sent to it alone.
    public mutating func readAsked(by id: PeerID, at now: Instant) throws(RoomError) {
        try peers.spendRead(of: id, at: now)
    }
}
