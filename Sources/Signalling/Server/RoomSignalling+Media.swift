internal import Logging
internal import MediaKernel
internal import Rooms

/// The media plane: what it is told, and what it tells.
extension RoomSignalling {
    /// Carries out the orders. Whoever comes while this runs leaves its orders to it.
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
                await media.restartSubscribe(of: peer, socket: offeredSockets[peer] ?? 0)
            case .remove(let peer):
                await media.removePeer(peer)
                seats[peer] = nil
            }
        }
    }

    func received(_ event: RoomMediaEvent) async {
        switch event {
        case .subscribeOffer(let peer, let sdp, let socket):
            // What was made for an earlier socket would be a second offer beside the one for this
            // one, for which 100ms' web SDK ends its session.
            guard socket == offeredSockets[peer] ?? 0, let connection = listener(peer, event)
            else { return }
            push(.offer, DescriptionPayload(type: .offer, sdp: sdp), to: connection)
        case .dataMessage(let peer, let text):
            guard let (answer, wish) = answer(toData: text, from: peer) else { break }
            if let wish { await media.prefer(wish.layer, of: wish.track, for: peer) }
            if let answer { await media.sendData(answer, to: peer) }
        case .trackLayers(let peer, let tracks):
            let frame = CallFrame.dataNotification(
                .onTrackLayerUpdate, TrackLayersPayload(tracks: tracks))
            if let text = text(of: frame) { await media.sendData(text, to: peer) }
        case .connection(let peer, let target, let state):
            log(
                state == .failed ? .notice : .debug, "media connection changed", peer,
                ["target": "\(target)", "state": "\(state)"])
            connectionChanged(of: peer, target, to: state)
        case .trackMedia(let peer, let track, let hasMedia):
            log(
                .debug, "track media changed", peer,
                ["track": "\(track)", "has_media": "\(hasMedia)"])
        case .excessMedia(let peer, let track):
            log(
                .notice, "peer sends too much media", peer,
                track.map { ["track": "\($0)"] } ?? [:])
            guard let connection = listener(peer, event) else { break }
            let error = SignallingError.tooMuchMedia(track: track.map { "\($0)" })
            push(.onWarning, error.payload(for: connection.claims.client), to: connection)
        case .activeSpeakers(let speakers):
            await tellSpeakers(speakers)
        case .connectionQuality(let scores):
            await tellQuality(scores)
        }
        await settle()
    }

    private func connectionChanged(
        of peer: PeerID, _ target: TransportTarget, to state: ConnectionState
    ) {
        switch (target, state) {
        case (.publish, .connected):
            room.mediaReturned(peer)
        case (.publish, .disconnected), (.publish, .failed), (.publish, .closed):
            room.mediaLost(peer, at: clock.now())
        case (.subscribe, .connected):
            subscribeRestarts.connected(peer)
        case (.subscribe, .disconnected), (.subscribe, .failed):
            guard seats[peer] == .open else { break }
            subscribeRestarts.lost(peer, at: clock.now())
        case (.publish, .new), (.publish, .connecting), (.subscribe, .new),
            (.subscribe, .connecting), (.subscribe, .closed):
            break
        }
    }

    /// Hands on what was said to a peer whose first offer has just been answered.
    func releaseHeld(for peer: PeerID) async {
        for event in held.removeValue(forKey: peer) ?? [] { await received(event) }
    }

    /// Who is to hear an event. A client knows nothing of its connections before its first offer
    /// is answered, so until then events wait; for a peer without a socket they are dropped, because
    /// its next socket starts with a fresh offer.
    private func listener(_ peer: PeerID, _ event: RoomMediaEvent) -> Connection? {
        guard let state = room.peer(peer) else { return nil }
        guard state.hasJoined, !isOpening(peer) else {
            // Past the maximum the newest are dropped: candidates repeat, the offer came first.
            if held[peer, default: []].count < SignallingLimits.heldEvents {
                held[peer, default: []].append(event)
            }
            return nil
        }
        return current[peer].flatMap { connections[$0] }
    }

    private func isOpening(_ peer: PeerID) -> Bool {
        switch seats[peer] {
        case .opening: true
        case .open, .withoutMedia, .closing, nil: false
        }
    }

    // MARK: - The data channel

    /// - Parameter speakers: loudest first.
    private func tellSpeakers(_ speakers: [(PeerID, TrackID, level: Int)]) async {
        // Of what a peer sends and does not publish nobody is told.
        var speaking: [(peer: Peer, track: Track, speaker: ActiveSpeakersPayload.Speaker)] = []
        for (id, publishedID, level) in speakers {
            guard let peer = room.peer(id), let track = peer.track(published: publishedID)
            else { continue }
            let level = min(max(level, 0), 100)
            speaking.append((peer, track, .init(peerID: id, trackID: track.id, level: level)))
        }
        // Most peers hear the same people: each list is rendered once.
        var rendered: [[ActiveSpeakersPayload.Speaker]: String] = [:]
        var letters: [(peer: PeerID, text: String)] = []
        for (id, seat) in seats where seat == .open {
            guard let listener = room.peer(id), listener.hasJoined else { continue }
            // Counted only now: whom a peer does not hear must not crowd out whom it hears. It
            // hears of its own voice too, since clients show who speaks, themselves included.
            var heard: [ActiveSpeakersPayload.Speaker] = []
            for (peer, track, speaker) in speaking
            where peer.id == id || room.receives(listener, from: peer) {
                var speaker = speaker
                if peer.id == id { speaker.trackID = track.publishedID }
                heard.append(speaker)
                if heard.count == SignallingLimits.speakers { break }
            }
            if rendered[heard] == nil {
                rendered[heard] = text(
                    of: CallFrame.dataNotification(
                        .activeSpeakers, ActiveSpeakersPayload(speakerList: heard)))
            }
            if let text = rendered[heard] { letters.append((id, text)) }
        }
        await media.sendData(letters)
    }

    /// What a peer wishes to get of a track.
    private struct Wish {
        var track: TrackID
        var layer: VideoLayerPreference
    }

    /// `nil` when there is nobody or nothing to answer.
    private func answer(
        toData data: String, from peer: PeerID
    ) -> (text: String?, wish: Wish?)? {
        guard let listener = room.peer(peer), listener.hasJoined,
            data.utf8.count <= SignallingLimits.dataFrameBytes,
            let frame = try? IncomingFrame(data, limits: .frame),
            let id = frame.head.id, let name = frame.head.method
        else { return nil }
        do {
            let wish = try wish(name, frame)
            guard room.receives(listener, wish.track) else {
                let error = ErrorPayload(code: 404, message: "track not found")
                return (text(of: ErrorFrame(id: id, error: error)), nil)
            }
            let result = PreferStateResult(trackID: wish.track)
            return (text(of: ResultFrame(id: id, result: result)), wish)
        } catch {
            return (text(of: ErrorFrame(id: id, error: error.payload(for: .web))), nil)
        }
    }

    /// Parameters that are left out mean all of the track.
    private func wish(_ name: String, _ frame: IncomingFrame) throws(SignallingError) -> Wish {
        switch DataChannelMethod(rawValue: name) {
        case .preferVideoTrackState:
            let wish = try frame.parameters(PreferVideoParameters.self)
            return Wish(track: wish.trackID, layer: wish.maxSpatialLayer ?? .high)
        case .preferAudioTrackState:
            let wish = try frame.parameters(PreferAudioParameters.self)
            return Wish(track: wish.trackID, layer: wish.subscribed == false ? .none : .high)
        case .activeSpeakers, .onTrackLayerUpdate, .onConnectionQualityUpdate, nil:
            throw .unknownMethod(name)
        }
    }
}
