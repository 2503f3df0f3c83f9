public import MediaKernel

/// Messages of peers: about themselves, to each other, and to the session.
extension Room {
    /// A peer changed its name or its metadata.
    public mutating func peerUpdated(
        _ id: PeerID, name: String?, metadata: String?, at now: Instant
    ) throws(RoomError) {
        _ = try joinedPeer(id)
        try checkDescription(name: name, metadata: metadata)
        try spendFanOut(of: id, at: now)
        describe(id, name: name, metadata: metadata)
    }

    func checkDescription(name: String?, metadata: String?) throws(RoomError) {
        if let name { try Check.name(name, field: "name") }
        if let metadata {
            try Check.bytes(metadata, field: "data", maximum: RoomLimits.metadataBytes)
        }
    }

    mutating func describe(_ id: PeerID, name: String?, metadata: String?) {
        if let name { peers[id]?.name = name }
        if let metadata { peers[id]?.metadata = metadata }
        tellUpdated(id)
    }

    /// A peer sent a message. Its sender is not notified; it gets the returned message.
    public mutating func messageSent(
        by id: PeerID, to audience: Audience, type: String, body: OpaqueJSON, at now: Instant,
        wall: UnixTime
    ) throws(RoomError) -> Message {
        try require(.broadcast, of: id)
        let sender = try joinedPeer(id)
        try checkMessage(type: type, body: body)
        try checkAudience(audience)
        try spendFanOut(of: id, at: now)
        return send(audience, type: type, body: body, from: sender, at: now, wall: wall)
    }

    func checkMessage(type: String, body: OpaqueJSON) throws(RoomError) {
        try Check.bytes(type, field: "type", maximum: RoomLimits.wordBytes)
        try Check.bytes(body.text, field: "message", maximum: RoomLimits.messageBytes)
    }

    func checkAudience(_ audience: Audience) throws(RoomError) {
        switch audience {
        case .everybody: break
        case .roles(let names): try checkRoles(names)
        case .peer(let target): _ = try visiblePeer(target)
        }
    }

    /// - Parameter sender: nil for the operator.
    mutating func send(
        _ audience: Audience, type: String, body: OpaqueJSON, from sender: Peer?, at now: Instant,
        wall: UnixTime
    ) -> Message {
        let message = Message(
            id: makeIdentifier(), sender: sender, audience: audience, type: type, body: body,
            sentAt: wall)
        say(
            .messageSent(message), to: Addressees(audience: audience, sender: sender?.id), at: now)
        return message
    }

    /// A peer set a value of the session's store. The listeners are notified.
    public mutating func valueSet(
        _ key: String, to data: OpaqueJSON, ifVersion version: Int?, by id: PeerID,
        at now: Instant, wall: UnixTime
    ) throws(RoomError) -> SessionStore.Entry {
        try require(.broadcast, of: id)
        try spendFanOut(of: id, at: now)
        let entry = try store.set(key, to: data, ifVersion: version, by: id, wall: wall)
        let listeners = store.listeners(to: key)
        tell(everybody().filter(listeners.contains), .storeChanged([entry]))
        return entry
    }

    /// A peer set the keys that it listens to, replacing all earlier ones. It gets their values.
    public mutating func valuesListened(_ keys: [String], by id: PeerID) throws(RoomError) {
        let peer = try joinedPeer(id)
        let entries = try store.listen(keys, by: id)
        if !entries.isEmpty, peer.isReachable { tell([id], .storeChanged(entries)) }
    }

    /// The streams of this room changed. All peers are told, including hidden ones; late joiners
    /// read ``streaming``. Variants beyond ``RoomLimits/variants`` are not shown.
    public mutating func hlsChanged(_ state: HLSState) {
        var state = state
        state.variants = Array(state.variants.prefix(RoomLimits.variants))
        guard state != streaming.hls else { return }
        let before = streaming.hls
        streaming.hls = state
        tell(everybody(), .hlsChanged(state))
        if state.recording != before.recording { tell(everybody(), .recordingChanged(state)) }
        emit(.refreshPreviews)
    }

    /// The recording without a live stream changed. All peers are told, including hidden ones; late
    /// joiners read ``streaming``.
    public mutating func recordingChanged(_ recording: RoomRecording) {
        guard recording != streaming.recording else { return }
        streaming.recording = recording
        tell(everybody(), .roomRecordingChanged(recording))
        emit(.refreshPreviews)
    }

    /// A peer requested a change of the room's streams or recordings, which all peers are told
    /// about.
    public mutating func streamingAsked(
        _ permissions: [Permission], by id: PeerID, at now: Instant
    ) throws(RoomError) {
        for permission in permissions { try require(permission, of: id) }
        try spendFanOut(of: id, at: now)
    }

    /// A peer requested RTMP, which is not supported. All peers are told, including hidden ones;
    /// late joiners read ``streaming``. The same failure again is not reported, whoever requests it.
    public mutating func rtmpFailed(_ failure: StreamingFailure, startedBy peer: PeerID) {
        if case .failed(failure, _) = streaming.rtmp { return }
        streaming.rtmp = .failed(failure, startedBy: peer)
        tell(everybody(), .rtmpChanged(streaming.rtmp))
        emit(.refreshPreviews)
    }

    /// Whether one more request of a peer may notify others now. Does not use up a request.
    public func checkFanOut(of id: PeerID, at now: Instant) throws(RoomError) {
        var rates = peers[id]?.rates
        guard rates?.fanOut.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
    }

    mutating func spendFanOut(of id: PeerID, at now: Instant) throws(RoomError) {
        guard peers[id]?.rates.fanOut.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.fanOutPerSecond)
        }
    }

    /// A peer reads data of the room, which may be large and is sent to it alone.
    public mutating func readAsked(by id: PeerID, at now: Instant) throws(RoomError) {
        guard peers[id]?.rates.reads.take(at: now) ?? false else {
            throw .tooManyRequests(perSecond: limits.readsPerSecond)
        }
    }
}
