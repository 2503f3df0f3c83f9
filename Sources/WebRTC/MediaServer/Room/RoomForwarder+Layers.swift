import MediaKernel
import PeerConnection
import RTP

/// Who gets which form of which video.
extension RoomForwarder {
    /// How often rates and estimates are looked at.
    static let allocationInterval: Duration = .milliseconds(100)
    /// Parts of the interval, in each of which it is some peers' turn: all at once would hold up
    /// what is forwarded.
    static let allocationTurns = 10

    /// Share of packets that may be lost and a video is still of use, as what is lost is sent again.
    static let repairedLoss = 0.3

    /// Wishes kept for one peer; past it, those for tracks that it is not to receive go.
    static let preferencesMaximum = 1024

    /// The best form of a track that a peer wishes to get; for audio, `none` or anything else.
    /// Wishes for tracks that are not offered to the peer yet are kept.
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

    /// Has a track flow in the form that the peer is to get now, or not at all.
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

    /// Looks anew at what the publishers send.
    func refreshLadders(at now: Instant) {
        for track in tracks.values where track.codec.isVideo {
            track.refreshLadder(at: now)
            requestAwaited(of: track, at: now)
        }
    }

    /// A key frame has shown that a track's forms are others than they were.
    func ladderChanged(of track: ForwardedTrack, at now: Instant) {
        track.refreshLadder(at: now)
        for id in track.subscriptions.keys {
            if let peer = peers[id] { allocate(peer, at: now) }
        }
    }

    /// Decides for one subscriber.
    func allocate(_ peer: MediaPeer, at now: Instant) {
        guard let connection = peer.receiving else { return }
        let core = connection.core
        if core.selectedAddress != peer.sharing.probedAddress {
            peer.sharing.probedAddress = core.selectedAddress
            peer.sharing.probes = ProbePlan()
            core.measuresBandwidth = !loop.ports.isHere(core.selectedAddress)
        }
        let received = received(by: peer)
        // Sound is not shared out. Once more where there were videos, which are forgotten so.
        guard !received.videos.isEmpty || peer.sharing.hadVideos else { return }
        peer.sharing.hadVideos = !received.videos.isEmpty
        let wishes = received.videos.map { video in
            Rungs(video.track.ladder, preference: video.subscription.preference)
        }
        var demands = zip(received.videos, wishes).map { video, rungs in
            LayerAllocator.Demand(
                track: video.subscription.track, importance: video.importance,
                bitsPerSecond: rungs.list.map(\.bitsPerSecond))
        }
        takeForLoss(&demands, from: peer, at: now)
        let estimate = core.measuresBandwidth ? core.bandwidth.bitsPerSecond : nil
        let maximum = peer.sharing.bitsPerSecondMaximum ?? .max
        let budget = min(estimate ?? .max, maximum)
        peer.sharing.isLimitedByWay =
            estimate.map { $0 < maximum } ?? false || peer.sharing.lossDegradation.taken > 0
        // Asked for where it counts: it is a sum over the whole room.
        let hasToShare = budget < .max && !received.videos.isEmpty
        let audio = hasToShare ? received.audioBitsPerSecond(at: now) : 0
        // A radio link loses packets at any rate: for that alone no video is left out.
        let isRepaired = (core.loss(at: now) ?? 0) <= Self.repairedLoss
        let poorest = isRepaired ? min(core.bandwidth.bitsPerSecondByDelay ?? .max, maximum) : 0
        // What flows wavers, by a key frame for one. It is too much where it fills the way.
        let given = core.bandwidth.isCongested(at: now) ? 0 : maximum
        let result = peer.sharing.allocator.allocate(
            demands, budget: budget == .max ? nil : max(budget - audio, 0),
            keepingGiven: max(given - audio, 0), keepingPoorest: max(poorest - audio, 0), at: now)
        for (index, video) in received.videos.enumerated() {
            if apply(result.levels[index], of: wishes[index], to: video.subscription) {
                video.track.hasNewWishes = true
            }
        }
        let missing = result.missingBitsPerSecond.map { $0 + audio }
        let goal = peer.sharing.probes.probe(
            // Room for what the peer may not get is not looked for.
            missing: missing.flatMap { $0 <= maximum ? $0 : nil }, estimate: estimate,
            reached: core.bandwidth.lastProbeResult, at: now)
        if let goal {
            core.beginProbe(bitsPerSecond: goal, at: now)
            loop.drain(connection, at: now)
        }
        tell(peer, received.videos)
    }

    /// Looked up when it has changed, and not whenever layers are shared out, ten times a second.
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

    /// Leaves nothing of the least important videos that a way which loses packets is too bad for.
    private func takeForLoss(
        _ demands: inout [LayerAllocator.Demand], from peer: MediaPeer, at now: Instant
    ) {
        let wanted = demands.indices.filter { !demands[$0].bitsPerSecond.isEmpty }
        peer.sharing.lossDegradation.update(
            loss: peer.receiving?.core.loss(at: now), videos: wanted.count,
            rule: peer.sharing.lossRule,
            at: now)
        for index in wanted.suffix(peer.sharing.lossDegradation.taken) {
            demands[index].bitsPerSecond = []
        }
    }

    /// Gives whether another form is wanted than before.
    private func apply(_ level: Int?, of rungs: Rungs, to subscription: Subscription) -> Bool {
        let choice = level.map { rungs.list[$0].choice }
        subscription.isLimited = (level ?? -1) < rungs.list.count - 1
        subscription.name = level.map { rungs.list[$0].name } ?? .none
        guard subscription.forwarder.wanted != choice else { return false }
        subscription.forwarder.wanted = choice
        return true
    }

    /// Says what a subscriber gets where that has changed.
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
            // Of what has not come yet, or was not asked for yet, there is nothing to say.
            guard layers != subscription.told, !layers.layers.isEmpty,
                subscription.told != nil || subscription.preference != .none
            else { continue }
            subscription.told = layers
            changed.append(layers)
        }
        if !changed.isEmpty { emit(.trackLayers(peer.id, changed)) }
    }

    // MARK: Key frames

    /// Asks for key frames of the encodings that somebody waits for.
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

    /// For a subscriber who has just begun to receive.
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

/// The rungs that a subscriber may be given, poorest first.
private struct Rungs {
    var list: [QualityLadder.Rung] = []

    init(_ ladder: QualityLadder, preference: LayerPreference) {
        guard let best = ladder.best(for: preference) else { return }
        list = ladder.rungs[...best].filter(\.isLive)
        if let base = ladder.base, base.isLive { list.insert(base, at: 0) }
    }
}
