import Logging
import MediaKernel
import PeerConnection
import RTP

/// Forwards the media of one room from publishers to subscribers. Confined to the media loop.
///
/// A packet's path: publisher's connection → `SourceEncoding` of a `ForwardedTrack` → the
/// `LayerForwarder` of each `Subscription`, which picks and renumbers → subscriber's connection.
/// The payload stays unchanged except that VP8's own counters are rewritten, and H.264 key frames
/// without parameter sets get them in front.
final class RoomForwarder {
    /// A track without packets for so long is reported as not flowing.
    static let idleAfter: Duration = .seconds(3)
    static let speakerInterval: Duration = .seconds(1)

    let id: RoomID
    unowned let loop: MediaLoop
    private let events: AsyncStream<MediaEvent>.Continuation
    /// Whether publishers may send rotated pictures for the receiver to turn.
    let acceptsOrientation: Bool
    /// The channel for texts on each subscribe connection, as the room's protocol has it.
    let channel: ChannelFormat
    var peers: [PeerID: MediaPeer] = [:]
    var tracks: [TrackKey: ForwardedTrack] = [:]
    private var queuedTexts = TextQueue()
    private var nextAllocation = Instant.zero
    /// The number of peers ever added.
    private var addedPeers = 0
    private var nextSpeakerReport: Instant?
    private var speakersReported = false
    var nextQuality = Instant.zero
    var qualityRounds = 0
    private var isClosed = false

    init(
        id: RoomID, loop: MediaLoop, events: AsyncStream<MediaEvent>.Continuation,
        acceptsOrientation: Bool = false, channel: ChannelFormat = ChannelFormat(label: "texts")
    ) {
        self.id = id
        self.loop = loop
        self.events = events
        self.acceptsOrientation = acceptsOrientation
        self.channel = channel
    }

    func emit(_ event: MediaEvent) {
        if case .dropped = events.yield(event) {
            loop.logger.error("media events lost", metadata: ["room": "\(id)"])
        }
    }

    func peer(_ id: PeerID) throws(MediaServerError) -> MediaPeer {
        guard !isClosed else { throw .roomClosed }
        guard let peer = peers[id] else { throw .unknownPeer(id) }
        return peer
    }

    // MARK: Peers

    func addPeer(
        _ id: PeerID, asksForVideos: Bool = false, isRecorder: Bool = false,
        layerNames: LayerNames = .none, at now: Instant
    ) throws(MediaServerError) {
        guard !isClosed else { throw .roomClosed }
        guard peers[id] == nil else { return }
        guard peers.count < MediaRoom.peersMaximum + MediaRoom.sparePlaces else {
            throw .tooManyPeers(maximum: MediaRoom.peersMaximum)
        }
        // Peers take turns, even if they all join at once.
        let turn = addedPeers % Self.allocationTurns
        addedPeers += 1
        peers[id] = MediaPeer(
            id: id, asksForVideos: asksForVideos, isRecorder: isRecorder, layerNames: layerNames,
            nextAllocation: now + Self.allocationInterval / Self.allocationTurns * turn, at: now)
    }

    func removePeer(_ id: PeerID, at now: Instant) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        remove(tracks.values.filter { $0.publisher == id }, at: now)
        for track in tracks.values { track.subscriptions[id] = nil }
        for connection in peer.connections { loop.close(connection, at: now) }
    }

    func close(at now: Instant) {
        guard !isClosed else { return }
        for id in Array(peers.keys) { removePeer(id, at: now) }
        isClosed = true
        loop.release(self)
        events.finish()
    }

    // MARK: Signalling beside the descriptions

    func trickle(
        _ candidate: String, on key: ConnectionKey, from id: PeerID, at now: Instant
    ) throws(MediaServerError) {
        try peer(id).connection(key)?.core.addRemoteCandidate(candidate, at: now)
    }

    func sendTexts(_ texts: [(peer: PeerID, text: String)], at now: Instant) {
        guard !isClosed else { return }
        for (peer, text) in texts {
            if let first = queuedTexts.add(.init(peer: peer, text: text)) { send(first, at: now) }
        }
        sendQueuedTexts(at: now)
    }

    private func sendQueuedTexts(at now: Instant) {
        while let queued = queuedTexts.next() { send(queued, at: now) }
    }

    private func send(_ queued: TextQueue.QueuedText, at now: Instant) {
        guard let connection = peers[queued.peer]?.receiving else { return }
        if let opened = connection.channel {
            connection.core.send(.text(queued.text), on: opened, at: now)
        } else {
            connection.core.send(queued.text, on: channel.label, at: now)
        }
        loop.drain(connection, at: now)
    }

    // MARK: Time

    func tick(at now: Instant) {
        for track in tracks.values {
            for (index, encoding) in track.encodings.enumerated() {
                tick(encoding, at: index, of: track, at: now)
            }
            if track.takesNewSizes(at: now) || track.hasSwitchedLayers(at: now) {
                ladderChanged(of: track, at: now)
                requestAwaited(of: track, at: now)
            }
            if track.isFlowing, let last = track.lastPacket, now - last > Self.idleAfter {
                track.isFlowing = false
                emit(.trackMedia(track.publisher, track.id, isFlowing: false))
            }
        }
        for peer in peers.values where peer.negotiation.isDirty { offerSubscribe(peer, at: now) }
        if nextAllocation <= now {
            nextAllocation = now + Self.allocationInterval
            refreshLadders(at: now)
        }
        for peer in peers.values where peer.sharing.nextAllocation <= now {
            // Keeps to the peer's turn even after a pause.
            peer.sharing.nextAllocation = max(
                peer.sharing.nextAllocation + Self.allocationInterval,
                now + Self.allocationInterval / 2)
            allocate(peer, at: now)
        }
        for track in tracks.values where track.hasNewWishes { requestAwaited(of: track, at: now) }
        queuedTexts.beginTurn(peers: peers.count)
        sendQueuedTexts(at: now)
        reportSpeakers(at: now)
        reportQuality(at: now)
    }

    private func tick(
        _ encoding: SourceEncoding, at index: Int, of track: ForwardedTrack, at now: Instant
    ) {
        if encoding.keyframes.due(at: now) {
            sendKeyframeRequest(of: track, encoding: index, at: now)
        }
        guard track.repairsLoss else { return }
        let lost = encoding.nacks.poll(at: now)
        guard !lost.isEmpty, let publish = track.source, let section = track.section else { return }
        publish.core.requestRetransmission(of: lost, in: section, encoding: index)
        loop.drain(publish, at: now)
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
        // Silence is reported once, not every second.
        guard !speakers.isEmpty || speakersReported else { return }
        speakersReported = !speakers.isEmpty
        emit(.activeSpeakers(speakers.sorted { ($1.level, $0.track) < ($0.level, $1.track) }))
    }
}
