import Logging
import MediaKernel
import PeerConnection
import RTP
import SDP

/// The forwarding of one room: who publishes what, who receives it. Confined to the media loop.
///
/// A packet's way: publisher's connection → `ForwardedTrack` → each `Subscription` rewrites
/// numbers and extension ids → subscriber's connection. Bytes of the payload are never changed.
final class RoomForwarder {
    static let peersMaximum = 5000
    static let tracksPerPeerMaximum = 32
    /// What 100ms' clients call the channel (hms.md sect. 8).
    static let channelLabel = "ion-sfu"
    /// A track without packets for so long is reported as not flowing.
    static let idleAfter: Duration = .seconds(3)
    static let speakerInterval: Duration = .seconds(1)

    let id: RoomID
    unowned let loop: MediaLoop
    private let events: AsyncStream<MediaEvent>.Continuation
    private var peers: [PeerID: MediaPeer] = [:]
    private(set) var tracks: [TrackID: ForwardedTrack] = [:]
    private var nextSpeakerReport: Instant?
    private var speakersReported = false
    private var isClosed = false

    init(id: RoomID, loop: MediaLoop, events: AsyncStream<MediaEvent>.Continuation) {
        self.id = id
        self.loop = loop
        self.events = events
    }

    func emit(_ event: MediaEvent) {
        if case .dropped = events.yield(event) {
            loop.logger.error("media events lost", metadata: ["room": "\(id)"])
        }
    }

    private func peer(_ id: PeerID) throws(MediaServerError) -> MediaPeer {
        guard !isClosed else { throw .roomClosed }
        guard let peer = peers[id] else { throw .unknownPeer(id) }
        return peer
    }

    // MARK: Peers

    func addPeer(_ id: PeerID, at now: Instant) throws(MediaServerError) {
        guard !isClosed else { throw .roomClosed }
        guard peers[id] == nil else { return }
        guard peers.count < Self.peersMaximum else {
            throw .tooManyPeers(maximum: Self.peersMaximum)
        }
        peers[id] = MediaPeer(id: id)
    }

    func removePeer(_ id: PeerID, at now: Instant) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        for track in tracks.values where track.publisher == id { remove(track, at: now) }
        for track in tracks.values { track.subscriptions[id] = nil }
        if let connection = peer.publish { loop.close(connection, at: now) }
        if let connection = peer.subscribe { loop.close(connection, at: now) }
    }

    func close(at now: Instant) {
        guard !isClosed else { return }
        for id in Array(peers.keys) { removePeer(id, at: now) }
        isClosed = true
        loop.release(self)
        events.finish()
    }

    // MARK: Publishing

    func publishOffer(
        _ sdp: String, from id: PeerID, at now: Instant
    ) throws(MediaServerError) -> String {
        let peer = try peer(id)
        let offer = try Self.parse(sdp)
        try checkTracks(of: offer, from: id)
        let connection =
            peer.publish
            ?? loop.makeConnection(peer: id, direction: .publish, room: self, at: now)
        do throws(PeerConnectionError) {
            let answer = try connection.core.answer(offer, at: now)
            peer.publish = connection
            loop.registerFragment(of: connection)
            publishedTracksChanged(of: peer, at: now)
            loop.drain(connection, at: now)
            offerSubscribe(peer, at: now)
            return answer.rendered()
        } catch {
            if peer.publish == nil { loop.close(connection, at: now) }
            throw .badDescription(String(describing: error))
        }
    }

    private func checkTracks(
        of offer: SessionDescription, from id: PeerID
    ) throws(MediaServerError) {
        let sending = offer.media.filter { $0.direction.sends && $0.kind != .application }
        guard sending.count <= Self.tracksPerPeerMaximum else {
            throw .tooManyTracks(maximum: Self.tracksPerPeerMaximum)
        }
        for section in sending {
            guard let msid = section.msids.first, let track = tracks[TrackID(msid.track)] else {
                continue
            }
            guard track.publisher == id else { throw .duplicateTrack(track.id) }
        }
    }

    private static func parse(_ sdp: String) throws(MediaServerError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(sdp)
        } catch {
            throw .badDescription("malformed session description: \(error)")
        }
    }

    /// Brings the tracks of a peer in line with what its description announces.
    private func publishedTracksChanged(of peer: MediaPeer, at now: Instant) {
        let announced = (peer.publish?.core.incomingTracks ?? []).filter(\.isSending)
        let live = Set(announced.map { TrackID($0.trackID) })
        for track in tracks.values where track.publisher == peer.id && !live.contains(track.id) {
            remove(track, at: now)
        }
        for incoming in announced {
            let trackID = TrackID(incoming.trackID)
            guard let codec = MediaCodec(rtpName: incoming.codec.name) else { continue }
            if let known = tracks[trackID] {
                if known.publisher == peer.id { known.incoming = incoming }
                continue
            }
            tracks[trackID] = ForwardedTrack(
                id: trackID, publisher: peer.id, incoming: incoming, codec: codec)
            for subscriber in peers.values where subscriber.desired.contains(trackID) {
                offerSubscribe(subscriber, at: now)
            }
        }
    }

    private func remove(_ track: ForwardedTrack, at now: Instant) {
        tracks[track.id] = nil
        for id in track.subscriptions.keys {
            if let subscriber = peers[id] { offerSubscribe(subscriber, at: now) }
        }
        if track.isFlowing { emit(.trackMedia(track.publisher, track.id, isFlowing: false)) }
    }

    // MARK: Subscribing

    func setSubscriptions(_ wanted: [TrackID], of id: PeerID, at now: Instant) {
        guard let peer = peers[id] else { return }
        peer.desired = Set(wanted)
        offerSubscribe(peer, at: now)
    }

    func subscribeAnswer(
        _ sdp: String, from id: PeerID, at now: Instant
    ) throws(MediaServerError) {
        let peer = try peer(id)
        guard let connection = peer.subscribe else { throw .badDescription("no offer was made") }
        let answer = try Self.parse(sdp)
        do throws(PeerConnectionError) {
            try connection.core.accept(answer: answer, at: now)
        } catch {
            throw .badDescription(String(describing: error))
        }
        loop.drain(connection, at: now)
        for (trackID, mid) in peer.offered where connection.core.isWanted(mid: mid) {
            guard let track = tracks[trackID], track.subscriptions[id] == nil else { continue }
            track.subscriptions[id] = Subscription(
                mid: mid, connection: connection, codec: track.codec)
            if track.codec.isVideo { requestKeyframe(of: track, at: now) }
        }
        if peer.needsOffer { offerSubscribe(peer, at: now) }
    }

    func restartSubscribe(of id: PeerID, at now: Instant) {
        guard let peer = peers[id], peer.subscribe != nil else { return }
        peer.needsRestart = true
        offerSubscribe(peer, at: now, always: true)
    }

    /// Offers the subscribe connection when what the peer should receive has changed. One offer is
    /// outstanding at a time; changes meanwhile go into the next.
    private func offerSubscribe(_ peer: MediaPeer, at now: Instant, always: Bool = false) {
        // The client makes its subscribe connection when it joins, which it does by publishing.
        guard peer.publish != nil else { return }
        let isFirst = peer.subscribe == nil
        let connection =
            peer.subscribe
            ?? loop.makeConnection(peer: peer.id, direction: .subscribe, room: self, at: now)
        peer.subscribe = connection
        if connection.core.isOfferOutstanding, !always {
            peer.needsOffer = true
            return
        }
        let hasChanged = reconcile(peer, over: connection)
        guard isFirst || hasChanged || always else {
            peer.needsOffer = false
            return
        }
        do throws(PeerConnectionError) {
            let offer = try connection.core.createOffer(restartsICE: peer.needsRestart, at: now)
            peer.needsOffer = false
            peer.needsRestart = false
            loop.registerFragment(of: connection)
            loop.drain(connection, at: now)
            emit(.subscribeOffer(peer.id, sdp: offer.rendered()))
        } catch {
            loop.logger.error(
                "cannot offer",
                metadata: ["room": "\(id)", "peer": "\(peer.id)", "error": "\(error)"])
        }
    }

    /// Adds and removes sections of the subscribe connection. Gives whether anything changed.
    private func reconcile(_ peer: MediaPeer, over connection: Connection) -> Bool {
        var hasChanged = false
        for (trackID, mid) in peer.offered
        where tracks[trackID] == nil || !peer.desired.contains(trackID) {
            connection.core.remove(mid: mid)
            peer.offered[trackID] = nil
            tracks[trackID]?.subscriptions[peer.id] = nil
            hasChanged = true
        }
        for trackID in peer.desired.sorted() where peer.offered[trackID] == nil {
            guard let track = tracks[trackID], track.publisher != peer.id else { continue }
            do throws(PeerConnectionError) {
                peer.offered[trackID] = try connection.core.add(.forwarding(track.incoming))
                hasChanged = true
            } catch {
                loop.logger.warning(
                    "track not offered",
                    metadata: ["room": "\(id)", "peer": "\(peer.id)", "error": "\(error)"])
            }
        }
        return hasChanged
    }

    // MARK: Signalling beside the descriptions

    func trickle(
        _ candidate: String, direction: ConnectionDirection, from id: PeerID, at now: Instant
    ) throws(MediaServerError) {
        let peer = try peer(id)
        let connection = direction == .publish ? peer.publish : peer.subscribe
        connection?.core.addRemoteCandidate(candidate, at: now)
    }

    func sendText(_ text: String, to id: PeerID, at now: Instant) {
        guard let connection = peers[id]?.subscribe else { return }
        connection.core.send(text, on: Self.channelLabel, at: now)
        loop.drain(connection, at: now)
    }

    // MARK: Media

    func handle(_ output: PeerConnection.Output, of connection: Connection, at now: Instant) {
        switch output {
        case .transmit:
            break
        case .media(let packet):
            guard let track = track(of: connection, mid: packet.mid) else { return }
            forward(packet, of: track, at: now)
        case .senderReport(let mid, let ntp, let rtpTimestamp):
            guard let track = track(of: connection, mid: mid), let ssrc = track.newestSSRC else {
                return
            }
            track.senderReport = (ssrc, ntp, rtpTimestamp)
            for subscription in track.subscriptions.values {
                report(track, to: subscription, at: now)
            }
        case .keyframeRequested(let mid):
            let entry = peers[connection.peer]?.offered.first { $0.value == mid }
            if let entry, let track = tracks[entry.key] { requestKeyframe(of: track, at: now) }
        case .stateChanged(let state):
            emit(.connection(connection.peer, connection.direction, state))
            if state == .connected, connection.direction == .subscribe {
                for track in tracks.values
                where track.codec.isVideo && track.subscriptions[connection.peer] != nil {
                    requestKeyframe(of: track, at: now)
                }
            }
        case .channelText(_, let text):
            emit(.dataText(connection.peer, connection.direction, text))
        case .channelOpened, .channelClosed:
            break
        }
    }

    private func track(of connection: Connection, mid: String) -> ForwardedTrack? {
        guard let peer = peers[connection.peer], peer.publish === connection else { return nil }
        if let id = peer.published[mid], let track = tracks[id], track.incoming.mid == mid {
            return track
        }
        let found = tracks.values.first { $0.publisher == peer.id && $0.incoming.mid == mid }
        peer.published[mid] = found?.id
        return found
    }

    private func forward(_ incoming: IncomingPacket, of track: ForwardedTrack, at now: Instant) {
        var packet = incoming.packet
        track.lastPacket = now
        if !track.isFlowing {
            track.isFlowing = true
            emit(.trackMedia(track.publisher, track.id, isFlowing: true))
        }
        if packet.ssrc != track.newestSSRC {
            track.newestSSRC = packet.ssrc
            track.nacks = NACKGenerator()
        }
        if track.repairsLoss { track.nacks.received(packet.sequenceNumber, at: now) }
        packet.paddingLength = 0
        guard let publish = peers[track.publisher]?.publish else { return }
        let isKeyframeStart =
            track.codec.isVideo
            && KeyframeDetection.isKeyframeStart(payload: packet.payload, codec: track.codec)
        if isKeyframeStart { track.keyframes.keyframeArrived() }
        if track.codec == .opus,
            let id = publish.core.headerExtensions[HeaderExtensionURI.audioLevel],
            let level = packet.extensions[id].flatMap(AudioLevel.init(extensionBytes:))
        {
            track.speaker.heard(level)
        }
        for subscription in track.subscriptions.values {
            if subscription.awaitsKeyframe {
                guard isKeyframeStart else { continue }
                subscription.awaitsKeyframe = false
            }
            send(packet, of: track, from: publish, to: subscription, at: now)
        }
    }

    private func send(
        _ packet: RTPPacket, of track: ForwardedTrack, from publish: Connection,
        to subscription: Subscription, at now: Instant
    ) {
        let core = subscription.connection.core
        let ids = subscription.extensionIDs ?? Self.extensionIDs(from: publish.core, to: core)
        subscription.extensionIDs = ids
        var rewritten = subscription.rewriter.rewrite(packet)
        rewritten.extensions = packet.extensions.remapped(by: ids)
        core.send(rewritten, mid: subscription.mid, at: now)
        if !subscription.hasReport { report(track, to: subscription, at: now) }
        loop.drain(subscription.connection, at: now)
    }

    /// Extensions that speak of the media itself pass; those that speak of one transport do not.
    private static func extensionIDs(
        from publisher: PeerConnection, to subscriber: PeerConnection
    ) -> [UInt8: UInt8] {
        var ids: [UInt8: UInt8] = [:]
        for uri in OutgoingTrack.forwardedExtensions {
            guard let from = publisher.headerExtensions[uri],
                let to = subscriber.headerExtensions[uri]
            else { continue }
            ids[from] = to
        }
        return ids
    }

    /// Passes the publisher's own tie of clocks on. Keeping its wall clock keeps its audio and
    /// video together at every subscriber, whatever our clock says. RFC 3550 sect. 7.2 allows
    /// this to translators.
    private func report(_ track: ForwardedTrack, to subscription: Subscription, at now: Instant) {
        guard let report = track.senderReport, report.ssrc == track.newestSSRC else { return }
        subscription.hasReport = true
        subscription.connection.core.sendSenderReport(
            mid: subscription.mid, ntp: report.ntp,
            rtpTimestamp: subscription.rewriter.rewrite(timestamp: report.rtpTimestamp))
    }

    private func requestKeyframe(of track: ForwardedTrack, at now: Instant) {
        if track.keyframes.wanted(at: now) { sendKeyframeRequest(of: track, at: now) }
    }

    private func sendKeyframeRequest(of track: ForwardedTrack, at now: Instant) {
        guard let publish = peers[track.publisher]?.publish else { return }
        publish.core.requestKeyframe(mid: track.incoming.mid)
        loop.drain(publish, at: now)
    }

    // MARK: Time

    func tick(at now: Instant) {
        for track in tracks.values {
            if track.keyframes.due(at: now) { sendKeyframeRequest(of: track, at: now) }
            if track.repairsLoss, let publish = peers[track.publisher]?.publish {
                let lost = track.nacks.poll(at: now)
                if !lost.isEmpty {
                    publish.core.requestRetransmission(of: lost, mid: track.incoming.mid)
                    loop.drain(publish, at: now)
                }
            }
            if track.isFlowing, let last = track.lastPacket, now - last > Self.idleAfter {
                track.isFlowing = false
                emit(.trackMedia(track.publisher, track.id, isFlowing: false))
            }
        }
        reportSpeakers(at: now)
    }

    private func reportSpeakers(at now: Instant) {
        guard let due = nextSpeakerReport else {
            nextSpeakerReport = now + Self.speakerInterval
            return
        }
        guard due <= now else { return }
        nextSpeakerReport = now + Self.speakerInterval
        var speakers: [ActiveSpeaker] = []
        for track in tracks.values where !track.codec.isVideo {
            guard let level = track.speaker.takeLevel() else { continue }
            speakers.append(ActiveSpeaker(peer: track.publisher, track: track.id, level: level))
        }
        // Silence is said once, not every second.
        guard !speakers.isEmpty || speakersReported else { return }
        speakersReported = !speakers.isEmpty
        emit(.activeSpeakers(speakers.sorted { ($1.level, $0.track) < ($0.level, $1.track) }))
    }
}

/// The two connections of one peer and what it should receive.
final class MediaPeer {
    let id: PeerID
    var publish: Connection?
    var subscribe: Connection?
    var desired: Set<TrackID> = []
    /// Tracks in the subscribe connection's description, with their sections.
    var offered: [TrackID: String] = [:]
    /// Sections of the publish connection to tracks, as last looked up.
    var published: [String: TrackID] = [:]
    var needsOffer = false
    var needsRestart = false

    init(id: PeerID) { self.id = id }
}

extension OutgoingTrack {
    static let forwardedExtensions = [
        HeaderExtensionURI.audioLevel, HeaderExtensionURI.videoOrientation,
        HeaderExtensionURI.dependencyDescriptor,
    ]

    /// Offers exactly what the publisher sends, since nothing is transcoded.
    static func forwarding(_ track: IncomingTrack) -> OutgoingTrack {
        var codec = track.codec
        codec.feedback = codec.feedback.filter { ["nack", "nack pli", "ccm fir"].contains($0) }
        return OutgoingTrack(
            streamID: track.streamID, trackID: track.trackID, kind: track.kind, codecs: [codec],
            headerExtensions: track.kind == .audio
                ? [HeaderExtensionURI.audioLevel]
                : [HeaderExtensionURI.videoOrientation, HeaderExtensionURI.dependencyDescriptor])
    }
}
