import Logging
import MediaKernel
import PeerConnection
import RTP
import SDP

/// Changes to descriptions: the tracks published, and the subscribers they are offered to.
extension RoomForwarder {
    func publishOffer(
        _ offer: SessionDescription, from id: PeerID, at now: Instant
    ) throws(MediaServerError) -> SessionDescription {
        let peer = try peer(id)
        let known = peer.publish
        let offer = bounded(offer, of: peer, on: .publish)
        let connection = known ?? loop.makeConnection(of: peer, key: .publish, room: self, at: now)
        do throws(PeerConnectionError) {
            let answer = try connection.core.answer(offer, at: now)
            if known == nil { peer.connections.append(connection) }
            loop.registerFragment(of: connection)
            publishedTracksChanged(of: peer, at: now)
            loop.drain(connection, at: now)
            offerSubscribe(peer, at: now)
            return answer
        } catch {
            if known == nil { loop.close(connection, at: now) }
            throw .badDescription(String(describing: error))
        }
    }

    /// Marks tracks beyond the maximum per peer as inactive. The answer then says so, and the
    /// client does not send them.
    func bounded(
        _ offer: SessionDescription, of peer: MediaPeer, on key: ConnectionKey
    ) -> SessionDescription {
        var offer = offer
        let others = peer.connections.filter { $0.key != key }
            .reduce(0) { $0 + $1.core.incomingTracks.count(where: \.isSending) }
        let sending = offer.media.indices.filter {
            offer.media[$0].direction.sends && offer.media[$0].kind != .application
        }
        for index in sending.dropFirst(max(MediaRoom.tracksPerPeerMaximum - others, 0)) {
            offer.media[index].direction = .inactive
        }
        return offer
    }

    /// Updates the tracks of a peer to match its description.
    func publishedTracksChanged(of peer: MediaPeer, at now: Instant) {
        let announced = peer.connections.flatMap { connection in
            connection.core.incomingTracks.filter(\.isSending).map { (connection, $0) }
        }
        let live = Dictionary(announced.map { (TrackID($1.trackID), ($0, $1)) }) { first, _ in
            first
        }
        remove(
            tracks.values.filter { track in
                guard track.publisher == peer.id else { return false }
                guard let (source, incoming) = live[track.id] else { return true }
                return track.source !== source || !track.isContinued(by: incoming)
            }, at: now)
        var added: Set<TrackID> = []
        for (source, incoming) in announced {
            let key = TrackKey(TrackID(incoming.trackID), of: peer.id)
            // If several tracks share one id, the first counts. The others may be of a kind that
            // the publisher may not send under that id.
            guard let first = live[key.id], first.0 === source, first.1 == incoming,
                let codec = MediaCodec(rtpName: incoming.codec.name)
            else { continue }
            if let known = tracks[key] {
                known.incoming = incoming
                continue
            }
            tracks[key] = ForwardedTrack(
                id: key.id, publisher: peer.id, incoming: incoming, codec: codec, from: source,
                layerNames: peer.layerNames, statedBitsPerSecond: peer.statedRates[key.id], at: now)
            added.insert(key.id)
        }
        let own = tracks.values.filter { $0.publisher == peer.id }
        for connection in peer.connections {
            connection.setTracks(own.filter { $0.source === connection })
        }
        for subscriber in peers.values
        where subscriber.desired.values.contains(where: {
            $0.publisher == peer.id && added.contains($0.publishedID)
        }) {
            offerSubscribe(subscriber, at: now)
        }
    }

    func remove(_ gone: [ForwardedTrack], at now: Instant) {
        let subscribers = Set(gone.flatMap(\.subscriptions.keys))
        for track in gone {
            tracks[track.key] = nil
            track.subscriptions = [:]
            if track.isFlowing { emit(.trackMedia(track.publisher, track.id, isFlowing: false)) }
        }
        for id in subscribers {
            guard let subscriber = peers[id] else { continue }
            subscriber.received = nil
            offerSubscribe(subscriber, at: now)
        }
    }

    // MARK: Subscribing

    func setSubscriptions(_ subscriptions: PeerSubscriptions, at now: Instant) {
        guard let peer = peers[subscriptions.peer] else { return }
        let desired = Dictionary(subscriptions.tracks.map { ($0.id, $0) }) { _, last in last }
        for (id, entry) in peer.offered where desired[id].map(TrackKey.init) != entry.track.key {
            peer.lapsed.insert(id)
        }
        let changed = peer.desired.values.filter { old in
            desired[old.id].map { $0.isHeldBack != old.isHeldBack } ?? false
        }
        peer.desired = desired
        for track in changed { preferenceChanged(of: track.id, for: peer, at: now) }
        stateRates(of: subscriptions.tracks, at: now)
        peer.sharing.bitsPerSecondMaximum = subscriptions.bitsPerSecondMaximum
        peer.sharing.lossRule = subscriptions.lossDegradation
        peer.sharing.allocator.recoverGrace =
            subscriptions.lossDegradation?.recoverGrace ?? LayerAllocator.recoverGraceDefault
        offerSubscribe(peer, at: now)
    }

    /// Records the bit rates that publishers are told to send. All subscribers of a track state the
    /// same.
    private func stateRates(of tracks: [WantedTrack], at now: Instant) {
        for track in tracks {
            let key = TrackKey(track)
            guard let publisher = peers[key.publisher],
                publisher.statedRates[key.id] != track.statedBitsPerSecond
            else { continue }
            if publisher.statedRates.count >= MediaPeer.statedRatesMaximum {
                publisher.statedRates.removeAll()
            }
            publisher.statedRates[key.id] = track.statedBitsPerSecond
            self.tracks[key]?.budget.state(track.statedBitsPerSecond, at: now)
        }
    }

    func subscribeAnswer(
        _ answer: SessionDescription, from id: PeerID, at now: Instant
    ) throws(MediaServerError) {
        let peer = try peer(id)
        guard let connection = peer.subscribe else { throw .nothingOffered }
        do throws(PeerConnectionError) {
            try connection.core.accept(answer: answer, at: now)
        } catch {
            if error == .unexpectedAnswer {
                peer.negotiation.answeredUnasked()
                offerSubscribe(peer, at: now)
            } else {
                answerRefused(from: id, at: now)
            }
            throw .badDescription(String(describing: error))
        }
        peer.negotiation.answered()
        loop.drain(connection, at: now)
        begin(peer, on: connection, at: now)
        if peer.negotiation.isDirty { offerSubscribe(peer, at: now) }
    }

    /// Starts the tracks that both sides have agreed to send on a connection.
    func begin(_ peer: MediaPeer, on connection: Connection, at now: Instant) {
        for (trackID, entry) in peer.offered
        where entry.connection === connection
            && connection.core.outboundStream(entry.mid)?.isWanted == true
        {
            let track = entry.track
            guard tracks[track.key] === track, track.subscriptions[peer.id] == nil,
                let stream = connection.core.outboundStream(entry.mid)
            else { continue }
            track.subscriptions[peer.id] = Subscription(
                stream: stream, connection: connection, track: track, as: trackID,
                preference: peer.preference(for: track, offeredAs: trackID), at: now)
            peer.received = nil
        }
        allocate(peer, at: now)
        requestAwaited(by: peer, at: now)
    }

    /// Handles an unusable answer; no other will follow. The same offer, or a restart, is tried
    /// once more; after that only changes are offered.
    func answerRefused(from id: PeerID, at now: Instant) {
        guard let peer = peers[id], let core = peer.subscribe?.core, core.isOfferOutstanding else {
            return
        }
        core.withdrawOffer()
        peer.negotiation.answerRefused()
        offerSubscribe(peer, at: now)
    }

    /// - Parameter signallingSocket: the WebSocket for offers from now on. On a new one nobody
    ///   answers offers made through the old one; on the same one the answer is awaited.
    func restartSubscribe(of id: PeerID, signallingSocket: Int, at now: Instant) {
        guard let peer = peers[id] else { return }
        let isNew = signallingSocket != peer.signallingSocket
        peer.signallingSocket = signallingSocket
        guard peer.subscribe != nil else { return }
        peer.negotiation.restart()
        offerSubscribe(peer, at: now, waits: !isNew)
    }

    /// The shortest time between two offers to a peer. While a room fills, every newcomer changes
    /// what all peers receive.
    static let offerInterval: Duration = .milliseconds(100)
    /// The interval grows by this for each track received, since offer and answer describe all
    /// tracks.
    static let offerIntervalPerTrack: Duration = .milliseconds(5)
    static let offerIntervalMaximum: Duration = .seconds(1)

    private func offerInterval(of peer: MediaPeer) -> Duration {
        let wanted = Self.offerIntervalPerTrack * peer.offered.count
        return min(max(Self.offerInterval, wanted), Self.offerIntervalMaximum)
    }

    /// Offers the subscribe connection if the peer's tracks have changed and the negotiation allows
    /// an offer.
    ///
    /// - Parameter waits: whether to wait for the answer to the previous offer and for the
    ///   interval.
    func offerSubscribe(_ peer: MediaPeer, at now: Instant, waits: Bool = true) {
        refill(peer, at: now)
        // The client creates its subscribe connection when it joins, which it does by publishing.
        guard peer.publish != nil else { return }
        let known = peer.subscribe
        let connection =
            known ?? loop.makeConnection(of: peer, key: .subscribe, room: self, at: now)
        if known == nil { peer.connections.append(connection) }
        let interval = offerInterval(of: peer)
        guard peer.negotiation.mayOffer(at: now, interval: interval, waits: waits) else { return }
        let hasChanged = reconcile(peer, over: connection)
        guard hasChanged || peer.negotiation.mustOffer else { return }
        do throws(PeerConnectionError) {
            let offer = try connection.core.createOffer(
                restartsICE: peer.negotiation.wantsRestart, at: now)
            peer.negotiation.offered(at: now)
            loop.registerFragment(of: connection)
            loop.drain(connection, at: now)
            emit(.subscribeOffer(peer.id, offer, signallingSocket: peer.signallingSocket))
        } catch {
            loop.logger.error(
                "cannot offer",
                metadata: ["room": "\(id)", "peer": "\(peer.id)", "error": "\(error)"])
        }
    }

    /// Adds and removes sections of the subscribe connection. Returns whether anything changed.
    private func reconcile(_ peer: MediaPeer, over connection: Connection) -> Bool {
        let gone = removeSections(of: peer, from: connection)
        // Offer the removal of a returning track first. In a single offer it might get the same
        // section, and a browser would not notify its page.
        if gone.contains(where: { peer.desired[$0] != nil }) { peer.negotiation.changed() }
        let hasAdded = addSections(of: peer, but: gone, to: connection)
        return hasAdded || !gone.isEmpty
    }

    private func removeSections(
        of peer: MediaPeer, from connection: Connection
    ) -> Set<TrackID> {
        var gone: Set<TrackID> = []
        for (trackID, entry) in peer.offered where entry.connection === connection {
            let track = entry.track
            guard tracks[track.key] !== track || peer.lapsed.contains(trackID) else { continue }
            connection.core.remove(mid: entry.mid)
            peer.withdraw(trackID)
            // A track that returns in another form keeps the peer's preference.
            if peer.desired[trackID] == nil { peer.preferences[trackID] = nil }
            track.subscriptions[peer.id] = nil
            gone.insert(trackID)
        }
        peer.lapsed = []
        return gone
    }

    private func addSections(
        of peer: MediaPeer, but gone: Set<TrackID>, to connection: Connection
    ) -> Bool {
        var hasAdded = false
        var leftOut: PeerConnectionError?
        var leftOutCount = 0
        // Audio first, since none may be missing; then videos by importance.
        for wanted in peer.desired.values.sorted(by: Self.isOfferedBefore)
        where peer.offered[wanted.id] == nil && !gone.contains(wanted.id)
            && wanted.mayUse(connection.key)
        {
            guard wanted.publisher != peer.id, let track = tracks[TrackKey(wanted)],
                track.codec.isVideo == wanted.isVideo
            else { continue }
            do throws(PeerConnectionError) {
                let mid = try connection.core.add(.forwarding(track.incoming, as: wanted.id))
                peer.offer(track, as: wanted.id, mid: mid, on: connection)
                hasAdded = true
            } catch {
                leftOut = error
                leftOutCount += 1
            }
        }
        if let leftOut, leftOutCount != peer.leftOutCount {
            loop.logger.warning(
                "tracks not offered",
                metadata: [
                    "room": "\(id)", "peer": "\(peer.id)", "tracks": "\(leftOutCount)",
                    "error": "\(leftOut)",
                ])
        }
        peer.leftOutCount = leftOutCount
        return hasAdded
    }

    static func isOfferedBefore(_ a: WantedTrack, _ b: WantedTrack) -> Bool {
        guard a.isVideo == b.isVideo else { return b.isVideo }
        guard a.importance == b.importance else { return a.importance < b.importance }
        return a.id < b.id
    }
}

extension OutgoingTrack {
    static let forwardedExtensions = [
        HeaderExtensionURI.audioLevel, HeaderExtensionURI.videoOrientation,
    ]

    /// The feedback a subscriber may send for a video. We estimate its bandwidth ourselves, from
    /// `transport-cc`, so `goog-remb` is left out.
    static let forwardedFeedback: Set<String> = ["nack", "nack pli", "ccm fir", "transport-cc"]
    /// The feedback for audio. Audio packets are not kept for retransmission.
    static let forwardedSoundFeedback: Set<String> = ["transport-cc"]

    /// Offers the publisher's own bitstream, since nothing is transcoded, in one of the forms of
    /// ``CodecCapability/forwarded(_:)``.
    static func forwarding(_ track: IncomingTrack, as id: TrackID) -> OutgoingTrack {
        let capability = Defaults.roomcast.first { $0.matches(track.codec) }
        var codec = capability?.forwarded(track.codec) ?? track.codec
        let forwarded = track.kind == .video ? forwardedFeedback : forwardedSoundFeedback
        codec.feedback = codec.feedback.filter { forwarded.contains($0) }
        return OutgoingTrack(
            streamID: track.streamID, trackID: id.rawValue, kind: track.kind, codecs: [codec],
            headerExtensions: [
                HeaderExtensionURI.transportSequence,
                track.kind == .audio
                    ? HeaderExtensionURI.audioLevel : HeaderExtensionURI.videoOrientation,
            ],
            isRepaired: track.kind == .video)
    }
}
