internal import Logging
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Notifications from the server.
extension HundredMSSessions {
    func previewsWentStale() { arePreviewsStale = true }

    func tell(_ peers: [PeerID], _ event: RoomEvent, in host: isolated RoomHost) {
        let listeners = peers.compactMap { current[$0].flatMap { connections[$0] } }
        switch event {
        case .peerJoined(let peer):
            push(.onPeerJoin, PeerPayload(peer, withTracks: false), to: listeners, in: host)
        case .peerLeft(let peer):
            push(.onPeerLeave, PeerPayload(peer, withTracks: false), to: listeners, in: host)
        case .peerUpdated(let peer):
            push(.onPeerUpdate, PeerPayload(peer, withTracks: false), to: listeners, in: host)
        case .peerReceded(let peer):
            push(
                .onPeerUpdate, PeerPayload(peer, withTracks: false, isListed: false),
                to: listeners, in: host)
        case .policyChanged(let role):
            for listener in listeners {
                let payload = PolicyPayload(
                    host.room.policy, role: role, for: listener.claims.client)
                push(.onPolicyChange, payload, to: listener, in: host)
            }
        case .roleOffered(let offer):
            push(.onRoleChangeRequest, RoleOfferPayload(offer), to: listeners, in: host)
        case .trackMuteRequested(let track, let isMuted, let peer):
            push(
                .onTrackUpdateRequest, TrackMutePayload(track, isMuted: isMuted, by: peer),
                to: listeners, in: host)
        case .unmuteHeld(let track, let peer):
            push(
                .onTrackUpdateRequest, TrackMutePayload(track, isMuted: true, by: peer),
                to: listeners, in: host)
        case .mutesRequested(let request, let peer):
            push(
                .onChangeTrackMuteStateRequest, MutesPayload(request, by: peer), to: listeners,
                in: host)
        case .tracksAdded(let tracks, let peer):
            push(.onTrackAdd, TracksNotification(tracks, of: peer), to: listeners, in: host)
        case .tracksUpdated(let tracks, let peer):
            push(.onTrackUpdate, TracksNotification(tracks, of: peer), to: listeners, in: host)
        case .tracksRemoved(let tracks, let peer):
            push(.onTrackRemove, TracksNotification(tracks, of: peer), to: listeners, in: host)
        case .messageSent(let message):
            push(.onBroadcast, BroadcastNotification(message), to: listeners, in: host)
        case .hlsChanged(let state):
            push(.onHLSUpdate, HLSPayload(state), to: listeners, in: host)
        case .recordingChanged(let state):
            push(
                .onRecordUpdate,
                RecordingNotification(
                    state, starter: starter(state.recording?.startedBy, in: host)),
                to: listeners, in: host)
        case .roomRecordingChanged(let recording):
            push(
                .onRecordUpdate,
                RecordingNotification(recording, starter: starter(recording.startedBy, in: host)),
                to: listeners, in: host)
        case .rtmpChanged(let state):
            push(
                .onRTMPUpdate, RTMPPayload(state, starter: starter(state.startedBy, in: host)),
                to: listeners, in: host)
        case .storeChanged(let entries):
            let values = entries.map { MetadataPayload($0) }
            push(.onMetadataChange, MetadataNotification(values: values), to: listeners, in: host)
        case .pollStarted(let info):
            push(
                .onPollStart, PollsNotification(polls: [PollInfoPayload(info)]), to: listeners,
                in: host)
        case .pollStopped(let info):
            push(
                .onPollStop, PollsNotification(polls: [PollInfoPayload(info)]), to: listeners,
                in: host)
        case .noticed(let notice):
            push(notice, to: listeners, in: host)
        case .pollCounted(let id, let result):
            push(
                .onPollStats, PollStatsNotification(polls: [PollResultPayload(id, result)]),
                to: listeners, in: host)
        }
    }

    /// Clients in preview hear of it too.
    func tell(user: String, _ notice: Notice, in host: isolated RoomHost) -> Bool {
        let listeners = connections.values.filter { connection in
            connection.claims.userID == user && connection.parting == nil
                && host.room.policy.role(connection.claims.role)?.isHidden == false
        }
        push(notice, to: Array(listeners), in: host)
        return !listeners.isEmpty
    }

    private func push(_ notice: Notice, to listeners: [Connection], in host: isolated RoomHost) {
        switch notice.subject {
        case .groupCall: push(.onGroupCall, notice.body, to: listeners, in: host)
        }
    }

    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost) {
        func connection(of peer: Peer) -> Connection? {
            current[peer.id].flatMap { connections[$0] }
        }
        let members = peers.filter(\.hasJoined)
        // The peer that ended the room is notified too: the answer to its request may be lost.
        unheardDismissals.add(
            members, dismissal, until: host.clock.now() + host.room.limits.absence)
        push(
            .onPeerLeaveRequest, LeaveRequestNotification(dismissal),
            to: members.filter { !dismissal.isEnding(by: $0.id) }.compactMap(connection), in: host)
        for connection in peers.compactMap(connection) {
            if dismissal.isEnding(by: connection.peer) {
                connections[connection.id]?.parting = Parting(
                    deadline: host.clock.now() + limits.closing, reason: dismissal.reason)
            } else {
                close(connection, code: CloseCode.normal, reason: dismissal.reason, in: host)
            }
        }
    }

    /// The peer that started a stream, unless it is hidden from others.
    private func starter(_ id: PeerID?, in host: isolated RoomHost) -> PeerPayload? {
        guard let id, let peer = try? host.room.peers.visiblePeer(id) else { return nil }
        return PeerPayload(peer, withTracks: false)
    }

    /// Everything about the room, for a peer that has just joined or come back.
    func pushRoom(to connection: Connection, in host: isolated RoomHost) {
        let peers = host.room.peers.listed(for: connection.peer)
        push(
            .peerList,
            PeerListPayload(
                peers: PeerPayload.byID(peers, withTracks: true), room: RoomStatePayload(host.room)),
            to: connection, in: host)
        // Notifications that went to a visitor, or to an earlier socket, are sent again.
        var newcomer = connection
        newcomer.toldRoom = nil
        newcomer.toldSession = nil
        pushCounts(to: [newcomer], in: host)
    }

    /// Sends every peer the number of peers, and whether the room counts as large, if that has
    /// changed since the peer's last notification.
    func pushCounts(in host: isolated RoomHost) {
        pushCounts(
            to: connections.values.filter { host.room.peers[$0.peer]?.hasJoined ?? false }, in: host
        )
    }

    /// Visitors receive it too: 100ms' clients take the number of peers from nothing else. Without
    /// a session, or with hidden peers only, the session id is empty.
    func pushCounts(to listeners: [Connection], in host: isolated RoomHost) {
        let absence = host.room.limits.absence
        let roomInfo = RoomInfoNotification(
            roomID: host.room.id, name: host.room.name, description: host.room.description,
            maxSize: host.room.limits.visiblePeers ?? host.room.limits.peers,
            largeRoomOptimization: host.room.isLarge, defaultImage: host.room.defaultImage,
            reconnectionSeconds: absence < SignallingLimits.reconnection
                ? Int(absence.components.seconds) : nil)
        let sessionInfo = SessionInfoNotification(
            sessionID: host.room.visibleSession?.id ?? "", roomID: host.room.id,
            peerCount: host.room.peers.visibleCount,
            trackCount: host.room.peers.trackCount)
        push(.roomInfo, roomInfo, to: listeners.filter { $0.toldRoom != roomInfo }, in: host)
        push(
            .sessionInfo, sessionInfo, to: listeners.filter { $0.toldSession != sessionInfo },
            in: host)
        for listener in listeners {
            connections[listener.id]?.toldRoom = roomInfo
            connections[listener.id]?.toldSession = sessionInfo
        }
    }

    func roomState(in host: isolated RoomHost) -> RoomStateNotification {
        let shown = Array(host.room.peers.listed.prefix(SignallingLimits.previewPeers))
        return RoomStateNotification(
            peerCount: host.room.peers.visibleCount, room: RoomStatePayload(host.room),
            peers: host.room.policy.showsPeers ? PeerPayload.byID(shown, withTracks: false) : nil)
    }

    // MARK: - Frames out

    func push(
        _ method: ServerMethod, _ params: some Encodable, to connection: Connection,
        in host: isolated RoomHost
    ) {
        push(method, params, to: [connection], in: host)
    }

    /// Rendered once for all listeners.
    func push(
        _ method: ServerMethod, _ params: some Encodable, to listeners: [Connection],
        in host: isolated RoomHost
    ) {
        guard !listeners.isEmpty,
            let text = FrameCodec.text(of: CallFrame.serverNotification(method, params), for: host)
        else { return }
        for listener in listeners { enqueue(text, to: listener, in: host) }
    }

    func reply(
        _ result: some Encodable, to id: RequestID, on connection: Connection,
        in host: isolated RoomHost
    ) {
        guard let text = FrameCodec.text(of: ResultFrame(id: id, result: result), for: host) else {
            return
        }
        enqueue(text, to: connection, in: host)
    }

    /// - Parameter result: JSON.
    func reply(
        rendered result: String, to id: RequestID, on connection: Connection,
        in host: isolated RoomHost
    ) {
        guard let id = FrameCodec.text(of: id, for: host) else { return }
        enqueue(#"{"id":\#(id),"jsonrpc":"2.0","result":\#(result)}"#, to: connection, in: host)
    }

    /// A call receives an error. A notification has no answer, so its sender receives a warning,
    /// which the web client logs. (`on-error` would end its session.)
    func refuse(
        _ error: SignallingError, id: RequestID?, isCall: Bool, on connection: Connection,
        in host: isolated RoomHost
    ) {
        host.log(
            .debug, "request refused", connection.peer,
            ["code": "\(error.code)", "reason": "\(error.message)"])
        let payload = error.payload(for: connection.claims.client)
        guard isCall else { return push(.onWarning, payload, to: connection, in: host) }
        guard let text = FrameCodec.text(of: ErrorFrame(id: id, error: payload), for: host) else {
            return
        }
        enqueue(text, to: connection, in: host)
    }

    private func enqueue(_ text: String, to connection: Connection, in host: isolated RoomHost) {
        guard !connection.outbox.append(text, at: host.clock.now()) else { return }
        host.log(.warning, "connection reads too slowly", connection.peer)
        drop(connection, code: CloseCode.tryAgainLater, reason: "reads too slowly", in: host)
    }
}

extension FrameCodec {
    /// The frame as text; nil, and an error in the log, if it cannot be written.
    static func text(of frame: some Encodable, for host: isolated RoomHost) -> String? {
        do {
            return try text(of: frame)
        } catch {
            host.logger.error("frame cannot be written", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
