import MediaKernel
import PeerConnection
import RTP
import SDP

/// Connections on which the client offers and asks for media, as players do.
extension RoomForwarder {
    static let connectionsPerPeerMaximum = 64

    /// Takes the client's offer for one of its connections and returns the answer. On a named
    /// connection the client may send, and sections that ask for media get the tracks of its
    /// subscriptions.
    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from id: PeerID, at now: Instant
    ) throws(MediaServerError) -> SessionDescription {
        switch key {
        case .publish: return try publishOffer(offer, from: id, at: now)
        case .subscribe: throw .serverOffers
        case .named(let name) where name.utf8.count > ConnectionKey.nameBytesMaximum:
            throw .connectionNameTooLong
        case .named: break
        }
        let peer = try peer(id)
        let known = peer.connection(key)
        guard known != nil || peer.connections.count < Self.connectionsPerPeerMaximum else {
            throw .tooManyConnections(maximum: Self.connectionsPerPeerMaximum)
        }
        let offer = bounded(offer, of: peer, on: key)
        let connection = known ?? loop.makeConnection(of: peer, key: key, room: self, at: now)
        do throws(PeerConnectionError) {
            try connection.core.take(offer, at: now)
            if known == nil { peer.connections.append(connection) }
            fill(connection, of: peer)
            connection.core.hold(
                [.audio, .video].flatMap { connection.core.freeSections(for: $0) })
            let answer = try connection.core.makeAnswer(at: now)
            loop.registerFragment(of: connection)
            publishedTracksChanged(of: peer, at: now)
            begin(peer, on: connection, at: now)
            tellTracks(of: connection)
            loop.drain(connection, at: now)
            return answer
        } catch {
            if known == nil { loop.close(connection, at: now) }
            throw .badDescription(String(describing: error))
        }
    }

    /// Offers a new named connection with one section of each kind, and one for data channels if
    /// `application` is among them. From the answer on, the sections count as if the client had asked
    /// for media there.
    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to id: PeerID, at now: Instant
    ) throws(MediaServerError) -> SessionDescription {
        let peer = try peer(id)
        guard key.isNamed, peer.connection(key) == nil else {
            throw .connectionExists
        }
        let connection = loop.makeConnection(of: peer, key: key, room: self, at: now)
        do throws(PeerConnectionError) {
            for kind in kinds { try connection.core.holdSection(kind) }
            let offer = try connection.core.createOffer(at: now)
            connection.toldTracks = []
            peer.connections.append(connection)
            loop.registerFragment(of: connection)
            loop.drain(connection, at: now)
            return offer
        } catch {
            loop.close(connection, at: now)
            throw .badDescription(String(describing: error))
        }
    }

    /// Accepts the client's answer to ``makeOffer(_:on:to:at:)``.
    func accept(
        _ answer: SessionDescription, on key: ConnectionKey, from id: PeerID, at now: Instant
    ) throws(MediaServerError) {
        let peer = try peer(id)
        guard let connection = peer.connection(key) else {
            throw .nothingOffered
        }
        do throws(PeerConnectionError) {
            try connection.core.accept(answer: answer, at: now)
        } catch {
            throw .badDescription(String(describing: error))
        }
        fill(connection, of: peer)
        begin(peer, on: connection, at: now)
        tellTracks(of: connection)
        loop.drain(connection, at: now)
    }

    /// Updates the tracks on the peer's named connections to match its subscriptions: a track that
    /// ends frees its section for the next one.
    func refill(_ peer: MediaPeer, at now: Instant) {
        for connection in peer.connections where connection.key.isNamed {
            guard fill(connection, of: peer) else { continue }
            begin(peer, on: connection, at: now)
            tellTracks(of: connection)
        }
    }

    /// Tells which streams carry which tracks, if that is news.
    private func tellTracks(of connection: Connection) {
        guard let told = connection.toldTracks else { return }
        let peer = connection.peer
        let sent = peer.offered.compactMap { id, entry -> SentTrack? in
            guard entry.connection === connection,
                let stream = connection.core.outboundStream(entry.mid), stream.isWanted
            else { return nil }
            return SentTrack(
                id: id, publisher: entry.track.publisher, ssrc: stream.ssrc.rawValue,
                repairSSRC: stream.isRepaired ? stream.rtxSSRC.rawValue : nil)
        }.sorted { $0.id < $1.id }
        guard sent != told else { return }
        connection.toldTracks = sent
        emit(.tracksSent(peer.id, connection.key, sent))
    }

    /// Returns whether anything has changed.
    @discardableResult
    private func fill(_ connection: Connection, of peer: MediaPeer) -> Bool {
        var hasChanged = false
        for (trackID, entry) in peer.offered where entry.connection === connection {
            let isWanted =
                peer.desired[trackID].map {
                    TrackKey($0) == entry.track.key && $0.mayUse(connection.key)
                } ?? false
            let isThere = tracks[entry.track.key] === entry.track
            // A client that renegotiates may ask for less.
            guard !isWanted || !isThere || connection.core.outboundStream(entry.mid) == nil else {
                continue
            }
            connection.core.remove(mid: entry.mid)
            peer.withdraw(trackID)
            peer.lapsed.remove(trackID)
            entry.track.subscriptions[peer.id] = nil
            hasChanged = true
        }
        for wanted in peer.desired.values.sorted(by: Self.isOfferedBefore)
        where peer.offered[wanted.id] == nil && wanted.mayUse(connection.key) {
            guard wanted.publisher != peer.id, let track = tracks[TrackKey(wanted)],
                track.codec.isVideo == wanted.isVideo
            else { continue }
            let outgoing = OutgoingTrack.forwarding(track.incoming, as: wanted.id)
            for section in connection.core.freeSections(for: outgoing.kind) {
                guard let mid = try? connection.core.send(outgoing, on: section) else { continue }
                peer.offer(track, as: wanted.id, mid: mid, on: connection)
                hasChanged = true
                break
            }
        }
        return hasChanged
    }

    func closeConnection(_ key: ConnectionKey, of id: PeerID, at now: Instant) {
        guard let peer = peers[id], let connection = peer.connection(key) else { return }
        for (trackID, entry) in peer.offered where entry.connection === connection {
            entry.track.subscriptions[id] = nil
            peer.withdraw(trackID)
        }
        peer.connections.removeAll { $0 === connection }
        publishedTracksChanged(of: peer, at: now)
        loop.close(connection, at: now)
        refill(peer, at: now)
    }
}

extension ConnectionKey {
    var isNamed: Bool { if case .named = self { true } else { false } }
}
