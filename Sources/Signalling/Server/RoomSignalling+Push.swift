internal import Logging
internal import MediaKernel
internal import Rooms

/// What the server says unasked.
extension RoomSignalling {
    /// Does what the room decided, then what the media plane is to do about it.
    func settle() async {
        var isNew = false
        while let effect = room.poll() {
            perform(effect)
            isNew = true
        }
        // Before the media plane is waited for.
        if isNew { noteOutline() }
        await flushOrders()
    }

    private func perform(_ effect: RoomEffect) {
        switch effect {
        case .tell(let peers, let event):
            tell(peers, event)
        case .resubscribe(let peer):
            orders.add(.subscriptions(peer))
        case .releaseMedia(let peer):
            log(.info, "peer left", peer)
            held[peer] = nil
            walks[peer] = nil
            subscribeRestarts.forget(peer)
            offeredSockets[peer] = nil
            switch seats[peer] {
            case .opening, .open:
                seats[peer] = .closing
                orders.add(.remove(peer))
            case .withoutMedia:
                seats[peer] = nil
            case .closing, nil:
                break
            }
        case .dismiss(let peers, let dismissal): dismiss(peers, dismissal)
        case .refreshPreviews:
            previewsWentStale()
        case .noted(let note):
            journal(note, clock.wall())
        }
    }

    private func tell(_ peers: [PeerID], _ event: RoomEvent) {
        let listeners = peers.compactMap { current[$0].flatMap { connections[$0] } }
        switch event {
        case .peerJoined(let peer):
            push(.onPeerJoin, PeerPayload(peer, withTracks: false), to: listeners)
        case .peerLeft(let peer):
            push(.onPeerLeave, PeerPayload(peer, withTracks: false), to: listeners)
        case .peerUpdated(let peer):
            push(.onPeerUpdate, PeerPayload(peer, withTracks: false), to: listeners)
        case .peerReceded(let peer):
            push(
                .onPeerUpdate, PeerPayload(peer, withTracks: false, isListed: false),
                to: listeners)
        case .policyChanged(let role):
            for listener in listeners {
                let payload = PolicyPayload(
                    room.policy, role: role, for: listener.claims.client)
                push(.onPolicyChange, payload, to: listener)
            }
        case .roleOffered(let offer):
            push(.onRoleChangeRequest, RoleOfferPayload(offer), to: listeners)
        case .trackMuteRequested(let track, let isMuted, let peer):
            push(
                .onTrackUpdateRequest, TrackMutePayload(track, isMuted: isMuted, by: peer),
                to: listeners)
        case .mutesRequested(let request, let peer):
            push(
                .onChangeTrackMuteStateRequest, MutesPayload(request, by: peer), to: listeners)
        case .tracksAdded(let tracks, let peer):
            push(.onTrackAdd, TracksNotification(tracks, of: peer), to: listeners)
        case .tracksUpdated(let tracks, let peer):
            push(.onTrackUpdate, TracksNotification(tracks, of: peer), to: listeners)
        case .tracksRemoved(let tracks, let peer):
            push(.onTrackRemove, TracksNotification(tracks, of: peer), to: listeners)
        case .messageSent(let message):
            push(.onBroadcast, BroadcastNotification(message), to: listeners)
        case .hlsChanged(let state):
            push(.onHLSUpdate, HLSPayload(state), to: listeners)
        case .recordingChanged(let state):
            push(
                .onRecordUpdate,
                RecordingNotification(state, starter: starter(state.recording?.startedBy)),
                to: listeners)
        case .roomRecordingChanged(let recording):
            push(
                .onRecordUpdate,
                RecordingNotification(recording, starter: starter(recording.startedBy)),
                to: listeners)
        case .rtmpChanged(let state):
            push(
                .onRTMPUpdate, RTMPPayload(state, starter: starter(state.startedBy)),
                to: listeners)
        case .storeChanged(let entries):
            let values = entries.map { MetadataPayload($0) }
            push(.onMetadataChange, MetadataNotification(values: values), to: listeners)
        case .pollStarted(let info):
            push(.onPollStart, PollsNotification(polls: [PollInfoPayload(info)]), to: listeners)
        case .pollStopped(let info):
            push(.onPollStop, PollsNotification(polls: [PollInfoPayload(info)]), to: listeners)
        case .pollCounted(let id, let result):
            push(
                .onPollStats, PollStatsNotification(polls: [PollResultPayload(id, result)]),
                to: listeners)
        }
    }

    private func dismiss(_ peers: [Peer], _ dismissal: Dismissal) {
        func connection(of peer: Peer) -> Connection? {
            current[peer.id].flatMap { connections[$0] }
        }
        let members = peers.filter(\.hasJoined)
        // Who ended the room too: the answer to its request may be lost.
        unheardDismissals.add(members, dismissal, until: clock.now() + room.limits.absence)
        push(
            .onPeerLeaveRequest, LeaveRequestNotification(dismissal),
            to: members.filter { !dismissal.isEnding(by: $0.id) }.compactMap(connection))
        for connection in peers.compactMap(connection) {
            if dismissal.isEnding(by: connection.peer) {
                connections[connection.id]?.parting = Parting(
                    deadline: clock.now() + limits.closing, reason: dismissal.reason)
            } else {
                close(connection, code: CloseCode.normal, reason: dismissal.reason)
            }
        }
    }

    /// Who started something, where others may know that peer.
    private func starter(_ id: PeerID?) -> PeerPayload? {
        guard let id, let peer = try? room.visiblePeer(id) else { return nil }
        return PeerPayload(peer, withTracks: false)
    }

    /// Everything about the room, for a peer that has just joined or come back.
    func pushRoom(to connection: Connection) {
        let peers = room.peers(listedFor: connection.peer)
        push(
            .peerList,
            PeerListPayload(
                peers: PeerPayload.byID(peers, withTracks: true), room: RoomStatePayload(room)),
            to: connection)
        // What it was told as a visitor, or on another socket, is told again.
        var newcomer = connection
        newcomer.toldRoom = nil
        newcomer.toldSession = nil
        pushCounts(to: [newcomer])
    }

    /// Tells every peer how many there are, and whether that makes a large room, where it has
    /// changed since the peer was told.
    func pushCounts() {
        pushCounts(to: connections.values.filter { room.peer($0.peer)?.hasJoined ?? false })
    }

    /// To visitors too: clients of 100ms take the number of peers from nothing else. Without a
    /// session, or with one of hidden peers alone, it is nobody's.
    func pushCounts(to listeners: [Connection]) {
        let roomInfo = RoomInfoNotification(
            roomID: room.id, name: room.name, description: room.description,
            maxSize: room.limits.visiblePeers ?? room.limits.peers,
            largeRoomOptimization: room.isLarge)
        let sessionInfo = SessionInfoNotification(
            sessionID: room.visibleSession?.id ?? "", roomID: room.id, peerCount: room.peerCount,
            trackCount: room.trackCount)
        push(.roomInfo, roomInfo, to: listeners.filter { $0.toldRoom != roomInfo })
        push(.sessionInfo, sessionInfo, to: listeners.filter { $0.toldSession != sessionInfo })
        for listener in listeners {
            connections[listener.id]?.toldRoom = roomInfo
            connections[listener.id]?.toldSession = sessionInfo
        }
    }

    func roomState() -> RoomStateNotification {
        let shown = Array(room.listedPeers.prefix(SignallingLimits.previewPeers))
        return RoomStateNotification(
            peerCount: room.peerCount, room: RoomStatePayload(room),
            peers: room.policy.showsPeers ? PeerPayload.byID(shown, withTracks: false) : nil)
    }

    // MARK: - Frames out

    func push(_ method: ServerMethod, _ params: some Encodable, to connection: Connection) {
        push(method, params, to: [connection])
    }

    /// Rendered once, however many listen.
    func push(_ method: ServerMethod, _ params: some Encodable, to listeners: [Connection]) {
        guard !listeners.isEmpty, let text = text(of: CallFrame.serverNotification(method, params))
        else { return }
        for listener in listeners { enqueue(text, to: listener) }
    }

    func reply(_ result: some Encodable, to id: RequestID, on connection: Connection) {
        guard let text = text(of: ResultFrame(id: id, result: result)) else { return }
        enqueue(text, to: connection)
    }

    /// - Parameter result: JSON.
    func reply(rendered result: String, to id: RequestID, on connection: Connection) {
        guard let id = text(of: id) else { return }
        enqueue(#"{"id":\#(id),"jsonrpc":"2.0","result":\#(result)}"#, to: connection)
    }

    /// A call gets its error; a notification has no answer and so gets a warning, which the web
    /// client logs. (`on-error` would end its session.)
    func refuse(
        _ error: SignallingError, id: RequestID?, isCall: Bool, on connection: Connection
    ) {
        log(
            .debug, "request refused", connection.peer,
            ["code": "\(error.code)", "reason": "\(error.message)"])
        let payload = error.payload(for: connection.claims.client)
        guard isCall else { return push(.onWarning, payload, to: connection) }
        guard let text = text(of: ErrorFrame(id: id, error: payload)) else { return }
        enqueue(text, to: connection)
    }

    func text(of frame: some Encodable) -> String? {
        do {
            return try FrameCodec.text(of: frame)
        } catch {
            logger.error("frame cannot be written", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func enqueue(_ text: String, to connection: Connection) {
        guard !connection.outbox.append(text, at: clock.now()) else { return }
        log(.warning, "connection reads too slowly", connection.peer)
        drop(connection, code: CloseCode.tryAgainLater, reason: "reads too slowly")
    }
}
