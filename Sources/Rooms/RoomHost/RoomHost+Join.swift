public import MediaKernel
public import MediaServer
public import Rooms
public import SDP

/// Joining, leaving, and publishing in between.
extension RoomHost {
    /// A client's request to join.
    public struct Entry: Sendable {
        /// Who makes the first offer of the peer's first connection.
        public enum Opening: Sendable {
            /// The client.
            case offered(SessionDescription)
            /// The server, with one section of each kind in which the peer receives.
            case toOffer([MediaSection.Kind])
        }

        public var request: JoinRequest
        /// Nil for a peer without media.
        public var opening: Opening?
        /// The connection that is opened.
        public var connection: ConnectionKey
        /// Whether it is sent no video until it has stated a preference.
        public var asksForVideos: Bool
        /// Whether it usually runs on this machine, and so gets this machine's addresses.
        public var isRecorder: Bool
        /// Its protocol's names for the layers that it publishes.
        public var layerNames: LayerNames
        /// Which of the available tracks it wants.
        public var view: RoomView
        /// Whether its client mutes when it is asked to. Otherwise its muted tracks are not
        /// forwarded.
        public var mutesItself: Bool

        public init(
            _ request: JoinRequest, _ opening: Opening?,
            connection: ConnectionKey = .publish, asksForVideos: Bool = false,
            isRecorder: Bool = false, layerNames: LayerNames = .none,
            view: RoomView = .everything, mutesItself: Bool = true
        ) {
            self.request = request
            self.opening = opening
            self.asksForVideos = asksForVideos
            self.isRecorder = isRecorder
            self.layerNames = layerNames
            self.connection = connection
            self.view = view
            self.mutesItself = mutesItself
        }
    }

    /// Admits a peer. Others are told with the next ``settle()``; the media plane's events for it
    /// wait for ``releaseHeld(for:)``, so that the session can answer its client first.
    ///
    /// - Returns: the answer to its offer, or our own offer; nil without media.
    /// - Throws: ``RoomHostError``; the peer then has no place.
    public func join(_ entry: Entry) async throws(RoomHostError) -> SessionDescription? {
        let peer = entry.request.peer
        guard seats[peer] == nil else { throw .busy }
        try ruled { () throws(RoomError) in
            try room.joinRequested(entry.request, at: clock.now())
        }
        guard let opening = entry.opening else {
            try complete(entry.request)
            room.mediaLost(peer, at: clock.now())
            seats[peer] = .withoutMedia(
                asksForVideos: entry.asksForVideos, entry.layerNames)
            note(entry)
            return nil
        }
        seats[peer] = .opening(nextAttempt())
        // The join may have removed other peers.
        await settle()
        let description: SessionDescription
        do {
            description = try await connect(
                peer, opening, on: entry.connection, asksForVideos: entry.asksForVideos,
                isRecorder: entry.isRecorder, layerNames: entry.layerNames)
            // Refused if its session ended or the room was closed while the media plane was at
            // work: the peer has lost its place.
            try complete(entry.request)
        } catch {
            await vacate(peer)
            throw error
        }
        seats[peer] = .open
        note(entry)
        return description
    }

    private func note(_ entry: Entry) {
        if !entry.mutesItself { mutedForOthers.insert(entry.request.peer) }
        if entry.view != .everything { views[entry.request.peer] = entry.view }
    }

    /// A joined peer offers a connection: again, or for the first time if it joined without media.
    ///
    /// - Returns: the answer, and whether it is the first one, after which ``releaseHeld(for:)`` is
    ///   due.
    public func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws(RoomHostError) -> (answer: SessionDescription, isFirst: Bool) {
        switch seats[peer] {
        case .withoutMedia(let asksForVideos, let layerNames):
            let answer = try await openMedia(
                of: peer, .offered(offer), on: key, asksForVideos: asksForVideos,
                layerNames: layerNames)
            return (answer, true)
        case .open:
            return (try await forward(offer, on: key, from: peer), false)
        case .opening, .closing, nil:
            throw .busy
        }
    }

    /// Offers a joined peer another named connection, with one section of each kind.
    ///
    /// - Returns: the offer, and whether it is for the peer's first connection, after which
    ///   ``releaseHeld(for:)`` is due.
    public func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws(RoomHostError) -> (offer: SessionDescription, isFirst: Bool) {
        switch seats[peer] {
        case .withoutMedia(let asksForVideos, let layerNames):
            let offer = try await openMedia(
                of: peer, .toOffer(kinds), on: key, asksForVideos: asksForVideos,
                layerNames: layerNames)
            return (offer, true)
        case .open:
            return (try await offer(kinds, on: key, to: peer), false)
        case .opening, .closing, nil:
            throw .busy
        }
    }

    /// Whether the peer may offer now; checked before a description is parsed.
    public func checkOffering(by peer: PeerID) throws(RoomHostError) {
        switch seats[peer] {
        case .withoutMedia, .open: break
        case .opening, .closing, nil: throw .busy
        }
        try ruled { () throws(RoomError) in
            try room.fanOutRequested(by: peer, at: clock.now())
        }
    }

    /// The client's answer to our offer of a connection.
    public func answer(
        _ answer: SessionDescription, on key: ConnectionKey = .subscribe, from peer: PeerID
    ) async throws(RoomHostError) {
        try requireMedia(of: peer)
        do {
            try await media.answer(answer, on: key, from: peer)
        } catch {
            throw .media("the answer was refused: \(error)")
        }
    }

    /// The client's answer is unreadable. The media plane makes no further offer while it waits for
    /// an answer, so it must know that this one does not come.
    public func answerRefused(from peer: PeerID) async {
        if seats[peer] == .open { await media.answerRefused(from: peer) }
    }

    /// A candidate of one of the peer's connections; empty at their end.
    public func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws(RoomHostError) {
        try requireMedia(of: peer)
        do {
            try await media.trickle(candidate, on: key, from: peer)
        } catch {
            throw .media("the candidate was refused: \(error)")
        }
    }

    /// - Throws: ``RoomHostError/noMedia`` for a peer without media, or not yet with media.
    public func requireMedia(of peer: PeerID) throws(RoomHostError) {
        guard seats[peer] == .open else { throw .noMedia }
    }

    /// Whether the peer has media.
    public func hasMedia(_ peer: PeerID) -> Bool { seats[peer] == .open }

    // MARK: - Seats

    private func nextAttempt() -> Int {
        attempts += 1
        return attempts
    }

    private func connect(
        _ peer: PeerID, _ opening: Entry.Opening, on key: ConnectionKey, asksForVideos: Bool,
        isRecorder: Bool, layerNames: LayerNames
    ) async throws(RoomHostError) -> SessionDescription {
        do {
            try await media.addPeer(
                peer, asksForVideos: asksForVideos, isRecorder: isRecorder, layerNames: layerNames)
        } catch {
            throw .mediaUnavailable("\(error)")
        }
        switch opening {
        case .offered(let offer): return try await forward(offer, on: key, from: peer)
        case .toOffer(let kinds): return try await offer(kinds, on: key, to: peer)
        }
    }

    private func offer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws(RoomHostError) -> SessionDescription {
        do {
            return try await media.makeOffer(kinds, on: key, to: peer)
        } catch {
            throw .mediaUnavailable("\(error)")
        }
    }

    private func forward(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws(RoomHostError) -> SessionDescription {
        do {
            return try await media.offer(offer, on: key, from: peer)
        } catch {
            throw .media("the offer was refused: \(error)")
        }
    }

    private func complete(_ request: JoinRequest) throws(RoomHostError) {
        try ruled { () throws(RoomError) in
            try room.joinCompleted(request.peer, request, wall: clock.wall())
        }
    }

    /// The first connection of a peer that joined without one: native clients do if their role may
    /// neither publish nor receive, and then their role changes.
    private func openMedia(
        of peer: PeerID, _ opening: Entry.Opening, on key: ConnectionKey, asksForVideos: Bool,
        layerNames: LayerNames
    ) async throws(RoomHostError) -> SessionDescription {
        let attempt = Seat.opening(nextAttempt())
        seats[peer] = attempt
        do throws(RoomHostError) {
            let answer = try await connect(
                peer, opening, on: key, asksForVideos: asksForVideos, isRecorder: false,
                layerNames: layerNames)
            // A peer that has left meanwhile has no seat, or a new one.
            guard seats[peer] == attempt else { throw .busy }
            seats[peer] = .open
            orders.add(.subscriptions(peer))
            return answer
        } catch {
            guard seats[peer] == attempt else { throw error }
            held[peer] = nil
            seats[peer] = .closing
            await media.removePeer(peer)
            seats[peer] =
                room.peers[peer]?.hasJoined ?? false
                ? .withoutMedia(asksForVideos: asksForVideos, layerNames) : nil
            throw error
        }
    }

    /// Removes the media of a peer that did not get into the room.
    private func vacate(_ peer: PeerID) async {
        room.joinAbandoned(peer)
        held[peer] = nil
        seats[peer] = .closing
        await media.removePeer(peer)
        seats[peer] = nil
    }

    /// The peer has left: its media is removed with the queued orders.
    func release(_ peer: PeerID) {
        held[peer] = nil
        subscribeRestarts.forget(peer)
        offeredSockets[peer] = nil
        mutedForOthers.remove(peer)
        views[peer] = nil
        workingConnections[peer] = nil
        qualities[peer] = nil
        switch seats[peer] {
        case .opening, .open:
            seats[peer] = .closing
            orders.add(.remove(peer))
        case .withoutMedia:
            seats[peer] = nil
        case .closing, nil:
            break
        }
    }
}
