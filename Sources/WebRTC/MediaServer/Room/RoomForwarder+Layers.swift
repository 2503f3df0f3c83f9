import MediaKernel
import PeerConnection
import RTP

/// Chooses the layer of each video for each subscriber.
extension RoomForwarder {
    /// How often rates and estimates are evaluated.
    static let allocationInterval: Duration = .milliseconds(100)
    /// Each interval is split into turns, one group of peers per turn: all peers at once would
    /// delay forwarding.
    static let allocationTurns = 10

    /// Up to this packet loss a video is still usable, because lost packets are sent again.
    static let repairedLoss = 0.3

    /// Preferences kept per peer. Beyond that, those for tracks outside its subscriptions are
    /// dropped.
    static let preferencesMaximum = 1024

    /// Sets the best layer of a track that a peer wishes to receive; for audio, `none` or anything
    /// else. Preferences for tracks that are not offered to the peer yet are kept.
    func setPreference(
        _ preference: LayerPreference, track id: TrackID, of peerID: PeerID, at now: Instant
    ) {
        guard let peer = peers[peerID] else { return }
        if peer.preferences.count >= Self.preferencesMaximum {
            peer.preferences = peer.preferences.filter { peer.desired[$0.key] != nil }
        }
        peer.preferences[id] = preference
        preferenceChanged(of: id, for: peer, at: now)
    }

    /// Applies the peer's current preference to a track: sends it in the right layer, or not at
    /// all.
    func preferenceChanged(of id: TrackID, for peer: MediaPeer, at now: Instant) {
        guard let track = peer.offered[id]?.track, let subscription = track.subscriptions[peer.id]
        else { return }
        let preference = peer.preference(for: track, offeredAs: id)
        subscription.preference = preference
        if track.codec.isVideo {
            allocate(peer, at: now)
        } else {
            let isWanted = preference != .none
            if !isWanted || subscription.forwarder.wanted == nil {
                subscription.forwarder.wanted = isWanted ? LayerChoice(encoding: 0) : nil
            }
        }
    }

    /// Re-evaluates the layers that the publishers send.
    func refreshLadders(at now: Instant) {
        for track in tracks.values where track.codec.isVideo {
            track.refreshLadder(at: now)
            requestAwaited(of: track, at: now)
        }
    }

    /// A key frame has shown that the layers of a track have changed.
    func ladderChanged(of track: ForwardedTrack, at now: Instant) {
        track.refreshLadder(at: now)
        for id in track.subscriptions.keys {
            if let peer = peers[id] { allocate(peer, at: now) }
        }
    }

    /// Chooses the layers for one subscriber.
    func allocate(_ peer: MediaPeer, at now: Instant) {
        let received = received(by: peer)
        guard peer.hasRoutes else {
            guard let connection = peer.receiving else { return }
            let maximum = peer.sharing.bitsPerSecondMaximum
            return allocate(
                peer, received, over: connection, peer.sharing, maximum: maximum, at: now)
        }
        let carriers = Dictionary(
            grouping: received.videos, by: { ObjectIdentifier($0.subscription.connection) })
        // The maximum of them all, divided evenly.
        let maximum = peer.sharing.bitsPerSecondMaximum.map { $0 / max(carriers.count, 1) }
        for connection in peer.connections where connection.key.isNamed {
            let sharing = connection.sharing ?? BandwidthSharing(nextAllocation: now)
            connection.sharing = sharing
            sharing.lossRule = peer.sharing.lossRule
            sharing.allocator.recoverGrace = peer.sharing.allocator.recoverGrace
            allocate(
                peer, received.carried(by: connection), over: connection, sharing,
                maximum: maximum, at: now)
        }
    }

    /// Chooses the layers of the tracks that share one connection's bandwidth.
    private func allocate(
        _ peer: MediaPeer, _ received: ReceivedTracks, over connection: Connection,
        _ sharing: BandwidthSharing, maximum: Int?, at now: Instant
    ) {
        let core = connection.core
        if core.selectedAddress != sharing.probedAddress {
            sharing.probedAddress = core.selectedAddress
            sharing.probes = ProbePlan()
            core.measuresBandwidth = !loop.ports.isHere(core.selectedAddress)
        }
        // Audio is not allocated. After the last video is gone, run once more to forget the videos.
        guard !received.videos.isEmpty || sharing.hadVideos else { return }
        sharing.hadVideos = !received.videos.isEmpty
        let wishes = received.videos.map { video in
            Rungs(video.track.ladder, preference: video.subscription.preference)
        }
        var demands = zip(received.videos, wishes).map { video, rungs in
            LayerAllocator.Demand(
                track: video.subscription.track, importance: video.importance,
                bitsPerSecond: rungs.list.map(\.bitsPerSecond))
        }
        takeForLoss(&demands, over: connection, sharing, at: now)
        let estimate = core.measuresBandwidth ? core.bandwidth.bitsPerSecond : nil
        let maximum = maximum ?? .max
        let budget = min(estimate ?? .max, maximum)
        sharing.isLimitedByWay =
            estimate.map { $0 < maximum } ?? false || sharing.lossDegradation.taken > 0
        // Computed only if needed: it is a sum over the whole room.
        let hasToShare = budget < .max && !received.videos.isEmpty
        let audio = hasToShare ? received.audioBitsPerSecond(at: now) : 0
        // A radio link always loses some packets, so moderate loss alone leaves out no video.
        let isRepaired = (core.loss(at: now) ?? 0) <= Self.repairedLoss
        let poorest = isRepaired ? min(core.bandwidth.bitsPerSecondByDelay ?? .max, maximum) : 0
        // Current rates fluctuate, for example at a key frame. They are too high if the path is
        // congested.
        let given = core.bandwidth.isCongested(at: now) ? 0 : maximum
        let result = sharing.allocator.allocate(
            demands, budget: budget == .max ? nil : max(budget - audio, 0),
            keepingGiven: max(given - audio, 0), keepingPoorest: max(poorest - audio, 0), at: now)
        for (index, video) in received.videos.enumerated() {
            if apply(result.levels[index], of: wishes[index], to: video.subscription) {
                video.track.hasNewWishes = true
            }
        }
        let missing = result.missingBitsPerSecond.map { $0 + audio }
        let goal = sharing.probes.probe(
            // Do not probe for more than the peer may receive.
            missing: missing.flatMap { $0 <= maximum ? $0 : nil }, estimate: estimate,
            reached: core.bandwidth.lastProbeResult, at: now)
        if let goal {
            core.beginProbe(bitsPerSecond: goal, at: now)
            loop.drain(connection, at: now)
        }
        tell(peer, received.videos)
    }

    /// Cached until a change, because layers are allocated ten times a second.
    func received(by peer: MediaPeer) -> ReceivedTracks {
        if let known = peer.received { return known }
        var received = ReceivedTracks()
        for (id, entry) in peer.offered {
            let track = entry.track
            guard let subscription = track.subscriptions[peer.id] else { continue }
            if track.codec.isVideo {
                received.videos.append(
                    .init(
                        subscription: subscription, track: track,
                        importance: peer.desired[id]?.importance ?? TrackImportance()))
            } else {
                received.audio.append((subscription, track))
            }
        }
        received.videos.sort {
            ($0.importance, $0.subscription.track) < ($1.importance, $1.subscription.track)
        }
        peer.received = received
        return received
    }

    /// Drops the least important videos if the path loses too many packets.
    private func takeForLoss(
        _ demands: inout [LayerAllocator.Demand], over connection: Connection,
        _ sharing: BandwidthSharing, at now: Instant
    ) {
        let wanted = demands.indices.filter { !demands[$0].bitsPerSecond.isEmpty }
        sharing.lossDegradation.update(
            loss: connection.core.loss(at: now), videos: wanted.count, rule: sharing.lossRule,
            at: now)
        for index in wanted.suffix(sharing.lossDegradation.taken) {
            demands[index].bitsPerSecond = []
        }
    }

    /// Returns whether the wanted layer has changed.
    private func apply(_ level: Int?, of rungs: Rungs, to subscription: Subscription) -> Bool {
        let choice = level.map { rungs.list[$0].choice }
        subscription.isLimited = (level ?? -1) < rungs.list.count - 1
        subscription.name = level.map { rungs.list[$0].name } ?? .none
        guard subscription.forwarder.wanted != choice else { return false }
        subscription.forwarder.wanted = choice
        return true
    }

    /// Reports the layers of a subscriber's videos if they have changed.
    private func tell(_ peer: MediaPeer, _ videos: [ReceivedTracks.Video]) {
        guard peer.hasChannel else { return }
        var changed: [TrackLayers] = []
        for video in videos {
            let (subscription, track) = (video.subscription, video.track)
            let expected = track.ladder.expected(for: subscription.preference)
            let layers = TrackLayers(
                track: subscription.track, current: subscription.name, expected: expected,
                isSubscriberDegraded: subscription.isLimited,
                isPublisherDegraded: !subscription.isLimited && subscription.name < expected,
                layers: track.ladder.rungs.compactMap { rung in
                    rung.size.map { .init(name: rung.name, width: $0.width, height: $0.height) }
                })
            // Do not report a track that has not arrived or has not been requested yet.
            guard layers != subscription.told, !layers.layers.isEmpty,
                subscription.told != nil || subscription.preference != .none
            else { continue }
            subscription.told = layers
            changed.append(layers)
        }
        if !changed.isEmpty { emit(.trackLayers(peer.id, changed)) }
    }

    // MARK: Key frames

    /// Requests key frames of the encodings that subscribers wait for.
    func requestAwaited(of track: ForwardedTrack, at now: Instant) {
        track.hasNewWishes = false
        var awaited: Set<Int> = []
        for subscription in track.subscriptions.values
        where subscription.forwarder.awaitsKeyframe && subscription.connection.core.canSendMedia {
            if let encoding = subscription.forwarder.wanted?.encoding { awaited.insert(encoding) }
        }
        for (index, encoding) in track.encodings.enumerated() {
            let isAwaited = awaited.contains(index)
            if encoding.isAwaited != isAwaited { encoding.isAwaited = isAwaited }
            if isAwaited { requestKeyframe(of: track, encoding: index, at: now) }
        }
    }

    /// Requests key frames for a subscriber that has just begun to receive.
    func requestAwaited(by peer: MediaPeer, at now: Instant) {
        for entry in peer.offered.values where entry.track.codec.isVideo {
            requestAwaited(of: entry.track, at: now)
        }
    }

    func requestKeyframe(of track: ForwardedTrack, encoding: Int, at now: Instant) {
        if track.encodings[encoding].keyframes.wanted(at: now) {
            sendKeyframeRequest(of: track, encoding: encoding, at: now)
        }
    }

    func sendKeyframeRequest(of track: ForwardedTrack, encoding: Int, at now: Instant) {
        guard let publish = track.source, let section = track.section else { return }
        publish.core.requestKeyframe(in: section, encoding: encoding)
        loop.drain(publish, at: now)
    }
}

/// The rungs that a subscriber may receive, poorest first.
private struct Rungs {
    var list: [QualityLadder.Rung] = []

    init(_ ladder: QualityLadder, preference: LayerPreference) {
        guard let best = ladder.best(for: preference) else { return }
        list = ladder.rungs[...best].filter(\.isLive)
        if let base = ladder.base, base.isLive { list.insert(base, at: 0) }
    }
}
