internal import Logging
public import MediaKernel
public import MediaServer
internal import PeerConnection
internal import Rooms

/// Orders to the media plane, and its events.
extension RoomHost {
    /// Carries out the orders. Calls during this only add theirs.
    func flushOrders() async {
        guard !orders.isFlushing else { return }
        orders.isFlushing = true
        defer { orders.isFlushing = false }
        while let order = orders.next() {
            switch order {
            case .subscriptions(let peer):
                let peers = ([peer] + orders.nextSubscriptions()).filter { seats[$0] == .open }
                guard !peers.isEmpty else { continue }
                await media.setSubscriptions(subscriptions(of: peers))
            case .restartSubscribe(let peer):
                guard seats[peer] == .open else { continue }
                await media.restartSubscribe(
                    of: peer, signallingSocket: offeredSockets[peer] ?? 0)
            case .remove(let peer):
                await media.removePeer(peer)
                seats[peer] = nil
            case .close(let key, let peer):
                guard seats[peer] == .open else { continue }
                await media.closeConnection(key, of: peer)
            }
        }
    }

    /// The peer's client is back on another socket: its subscribe connection is offered again
    /// there.
    public func offerAnew(to peer: PeerID) {
        guard seats[peer] == .open else { return }
        offeredSockets[peer, default: 0] += 1
        orders.add(.restartSubscribe(peer))
        subscribeRestarts.restarted(peer, at: clock.now())
    }

    /// Closes one of the peer's named connections, with all that it publishes and receives there. Its
    /// name must not be used again.
    public func closeConnection(_ key: ConnectionKey, of peer: PeerID) {
        workingConnections[peer]?.remove(key)
        orders.add(.close(key, of: peer))
    }

    /// Whether an offer of the subscribe connection that was made for that socket is still current.
    public func offersSubscribe(to peer: PeerID, for socket: Int) -> Bool {
        socket == offeredSockets[peer] ?? 0
    }

    /// A peer whose client sends muted tracks has muted or unmuted one.
    public func mutesChanged(of peer: PeerID) {
        guard mutedForOthers.contains(peer), let publisher = room.peers[peer] else { return }
        for listener in room.peers.subscribers(of: publisher) {
            orders.add(.subscriptions(listener.id))
        }
    }

    /// Passes on the events for a peer whose first offer has just been answered.
    public func releaseHeld(for peer: PeerID) async {
        for event in held.removeValue(forKey: peer) ?? [] { await received(event) }
    }

    func received(_ event: MediaEvent) async {
        var event = event
        switch event {
        case .subscribeOffer(let peer, _, let socket):
            // Offers for earlier sockets are dropped: clients take a second offer for an error.
            guard offersSubscribe(to: peer, for: socket), canHear(peer, event) else { return }
        case .excessMedia(let peer, let track):
            log(
                .notice, "peer sends too much media", peer,
                track.map { ["track": "\($0)"] } ?? [:])
            guard canHear(peer, event) else { return await settle() }
        case .connection(let peer, let key, let state):
            log(
                state == .failed ? .notice : .debug, "media connection changed", peer,
                ["target": "\(key)", "state": "\(state)"])
            connectionChanged(of: peer, key, to: state)
        case .trackMedia(let peer, let track, let isFlowing):
            log(
                .debug, "track media changed", peer,
                ["track": "\(track)", "has_media": "\(isFlowing)"])
        case .activeSpeakers(let all):
            let speakers = all.filter { !room.peers.isHeldBack($0.track, of: $0.peer) }
            // Silence is reported once.
            guard !speakers.isEmpty || speaking.isReported else { return await settle() }
            speaking.isReported = !speakers.isEmpty
            event = .activeSpeakers(speakers)
            heard(speakers)
        case .connectionQuality(let reports):
            for report in reports { qualities[report.peer] = report.score }
        case .dataText, .dataBinary, .trackLayers, .tracksSent:
            break
        }
        for protocolSessions in sessions { await protocolSessions.received(event, in: self) }
        await settle()
    }

    private func connectionChanged(
        of peer: PeerID, _ key: ConnectionKey, to state: PeerConnectionState
    ) {
        switch (key, state) {
        case (.publish, .connected):
            room.mediaReturned(peer)
        case (.named, .connected):
            workingConnections[peer, default: []].insert(key)
            room.mediaReturned(peer)
        case (.publish, .disconnected), (.publish, .failed), (.publish, .closed):
            room.mediaLost(peer, at: clock.now())
        case (.named, .disconnected), (.named, .failed), (.named, .closed):
            workingConnections[peer]?.remove(key)
            // One of several connections says nothing of the others.
            guard workingConnections[peer]?.isEmpty ?? true else { break }
            room.mediaLost(peer, at: clock.now())
        case (.subscribe, .connected):
            subscribeRestarts.connected(peer)
        case (.subscribe, .disconnected), (.subscribe, .failed):
            guard seats[peer] == .open else { break }
            subscribeRestarts.lost(peer, at: clock.now())
        case (_, .new), (_, .connecting), (.subscribe, .closed):
            break
        }
    }

    /// Whether the peer can receive an event. A client does not know its connections before its
    /// first offer is answered, so events wait until then.
    private func canHear(_ peer: PeerID, _ event: MediaEvent) -> Bool {
        guard let state = room.peers[peer] else { return false }
        guard state.hasJoined, !isOpening(peer) else {
            // Beyond the maximum the newest are dropped: candidates repeat, and the offer came
            // first.
            if held[peer, default: []].count < Self.heldEventsMaximum {
                held[peer, default: []].append(event)
            }
            return false
        }
        return true
    }

    private func isOpening(_ peer: PeerID) -> Bool {
        switch seats[peer] {
        case .opening: true
        case .open, .withoutMedia, .closing, nil: false
        }
    }
}
