internal import Logging
internal import MediaKernel
internal import Rooms

/// What a joined peer may ask of the room (`hms.md` section 5).
extension RoomSignalling {
    func updateTracks(
        _ params: TrackUpdateParameters, of peer: PeerID
    ) throws(SignallingError) -> Reply {
        var changes: [TrackID: TrackChange] = [:]
        for (id, change) in params.tracks {
            changes[TrackID(id)] = TrackChange(
                isMuted: change.mute, description: change.description)
        }
        try ruled { () throws(RoomError) in
            try room.tracksUpdated(changes, by: peer, at: clock.now())
        }
        return .empty
    }

    func broadcast(
        _ params: BroadcastParameters, from peer: PeerID
    ) throws(SignallingError) -> Reply {
        let audience: Audience
        if let target = params.peerID {
            audience = .peer(target)
        } else if let roles = params.roles, !roles.isEmpty {
            audience = .roles(roles)
        } else {
            audience = .everybody
        }
        let body = try params.info.message.opaque()
        let message = try ruled { () throws(RoomError) in
            try room.messageSent(
                by: peer, to: audience, type: params.info.type ?? "chat", body: body,
                at: clock.now(), wall: clock.wall())
        }
        streaming.said(message, room: room.id)
        return .result(
            BroadcastResult(timestamp: message.sentAt.milliseconds, messageID: message.id))
    }

    func updatePeer(
        _ params: PeerUpdateParameters, _ peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.peerUpdated(
                peer, name: params.name, metadata: params.data, at: clock.now())
        }
        return .empty
    }

    func endRoom(_ params: EndRoomParameters, by peer: PeerID) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.endRequested(
                by: peer, lock: params.lock ?? false, reason: params.reason ?? "")
        }
        return .empty
    }

    func removePeer(
        _ params: PeerLeaveParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.removalRequested(
                of: params.requestedFor, by: peer, reason: params.reason ?? "")
        }
        return .empty
    }

    // MARK: - Streaming

    func startHLS(
        _ params: HLSStartParameters, by peer: PeerID
    ) async throws(SignallingError) -> Reply {
        try require(.hlsStreaming, of: peer)
        let variants = try checked(params.variants)
        do {
            try await streaming.start(
                room: room.id, session: room.session?.id, variants: variants,
                recording: params.hlsRecording, startedBy: peer)
        } catch {
            throw streamingError(error, "start")
        }
        return .empty
    }

    func stopHLS(
        _ params: HLSStopParameters, by peer: PeerID
    ) async throws(SignallingError) -> Reply {
        try require(.hlsStreaming, of: peer)
        let variants = try checked(params.variants)
        do {
            try await streaming.stop(room: room.id, variants: variants, stoppedBy: peer)
        } catch {
            throw streamingError(error, "stop")
        }
        return .empty
    }

    func addTimedMetadata(
        _ params: HLSTimedMetadataParameters, by peer: PeerID
    ) async throws(SignallingError) -> Reply {
        try require(.hlsStreaming, of: peer)
        let count = params.metadata.count
        guard (1...SignallingLimits.timedMetadata).contains(count) else {
            throw .badParameter(
                "metadata_objs",
                reason: "has \(count) entries; 1 to \(SignallingLimits.timedMetadata) are allowed")
        }
        do {
            try await streaming.addTimedMetadata(params.metadata, room: room.id, by: peer)
        } catch {
            throw streamingError(error, "take timed metadata")
        }
        return .empty
    }

    private func require(_ permission: Permission, of peer: PeerID) throws(SignallingError) {
        try ruled { () throws(RoomError) in try room.require(permission, of: peer) }
    }

    private func checked(
        _ variants: [HLSVariantRequest]?
    ) throws(SignallingError) -> [HLSVariantRequest] {
        let variants = variants ?? []
        guard variants.count <= RoomLimits.variants else {
            throw .badParameter(
                "variants", reason: "has \(variants.count) entries; at most \(RoomLimits.variants)")
        }
        for (index, variant) in variants.enumerated() {
            let limits = [
                ("meeting_url", variant.meetingURL, SignallingLimits.meetingURLBytes),
                ("metadata", variant.metadata, RoomLimits.metadataBytes),
            ]
            for (field, value, maximum) in limits {
                guard let count = value?.utf8.count, count > maximum else { continue }
                throw .badParameter(
                    "variants.\(index).\(field)",
                    reason: "has \(count) bytes; at most \(maximum) are allowed")
            }
        }
        return variants
    }

    private func streamingError(_ error: any Error, _ verb: String) -> SignallingError {
        if let error = error as? LiveStreamingError { return .streaming(error) }
        logger.error("stream did not \(verb)", metadata: ["reason": "\(error)"])
        return .streaming(
            LiveStreamingError(code: 500, message: "the stream could not \(verb)"))
    }

    // MARK: - Finding peers

    func getPeer(_ params: GetPeerParameters) throws(SignallingError) -> Reply {
        let peer = try ruled { () throws(RoomError) in try room.visiblePeer(params.peerID) }
        return .result(PeerPayload(peer, withTracks: false))
    }

    func findPeers(_ params: FindPeersParameters, on connection: Connection) -> Reply {
        let wanted = params.peers.map(Set.init)
        let found = room.visiblePeers.filter { peer in
            (wanted?.contains(peer.id) ?? true) && (params.role.map { $0 == peer.role } ?? true)
                // No peer is in a group yet, so a walk through one finds nobody.
                && (params.group?.isEmpty ?? true)
        }
        var walks = connection.walks
        let iterator = walks.begin(found.map(\.id))
        let page = page(of: iterator, limit: params.limit, in: &walks)
        connections[connection.id]?.walks = walks
        return page ?? .empty
    }

    func nextPeers(
        _ params: PeerIterNextParameters, on connection: Connection
    ) throws(SignallingError) -> Reply {
        var walks = connection.walks
        guard let page = page(of: params.iterator, limit: params.limit, in: &walks) else {
            throw .badParameter("iterator", reason: "is not known or too old")
        }
        connections[connection.id]?.walks = walks
        return page
    }

    private func page(of iterator: String, limit: Int?, in walks: inout PeerWalks) -> Reply? {
        let limit = min(max(limit ?? 10, 1), SignallingLimits.pagePeers)
        guard let (ids, walk) = walks.advance(iterator, limit: limit) else { return nil }
        let peers = ids.compactMap { try? room.visiblePeer($0) }
        return .result(
            PeerPageResult(
                iterator: iterator, total: walk.total, eof: walk.rest.isEmpty,
                peers: peers.map { PeerPayload($0, withTracks: false) }))
    }

    // MARK: - The session's store

    /// The key of clients that name none, as in 100ms' first version of the store.
    private static let defaultKey = "default"

    func setMetadata(
        _ params: SetMetadataParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        let data = try (params.data ?? .null).opaque()
        let entry = try ruled { () throws(RoomError) in
            try room.valueSet(
                params.key ?? Self.defaultKey, to: data, ifVersion: params.ifChangeVersion,
                by: peer, at: clock.now(), wall: clock.wall())
        }
        return .result(MetadataPayload(entry))
    }

    /// A key that nobody has set is `null` in version 0: a client that looks before it writes
    /// needs no error for that.
    func getMetadata(_ params: GetMetadataParameters) -> Reply {
        let key = params.key ?? Self.defaultKey
        guard let entry = room.store.entry(key) else {
            return .result(MetadataPayload(unset: key))
        }
        return .result(MetadataPayload(entry))
    }

    func listen(
        _ params: ListenMetadataParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in try room.valuesListened(params.keys, by: peer) }
        return .empty
    }
}
