import MediaKernel
import PeerConnection
import RTP

/// Reports how well the path to each peer carries the media sent to it.
extension RoomForwarder {
    static let qualityInterval: Duration = .seconds(1)
    /// All peers are reported once in this many intervals; in between only changed scores.
    static let qualityReport = 5

    func reportQuality(at now: Instant) {
        guard nextQuality <= now else { return }
        nextQuality = now + Self.qualityInterval
        qualityRounds += 1
        let isComplete = qualityRounds % Self.qualityReport == 0
        var qualities: [PeerQuality] = []
        for peer in peers.values {
            guard let connection = peer.receiving else { continue }
            let before = peer.quality.score
            peer.quality.update(sample(of: peer, over: connection, at: now))
            guard isComplete || peer.quality.score != before else { continue }
            qualities.append(PeerQuality(peer: peer.id, score: peer.quality.score))
        }
        guard !qualities.isEmpty else { return }
        emit(.connectionQuality(qualities.sorted { $0.peer < $1.peer }))
    }

    private func sample(
        of peer: MediaPeer, over connection: Connection, at now: Instant
    ) -> ConnectionQuality.Sample? {
        let core = connection.core
        guard core.state == .connected else { return nil }
        var sample = ConnectionQuality.Sample(
            loss: core.loss(at: now),
            roundTrip: core.measuresBandwidth ? core.bandwidth.roundTripTime : nil)
        for video in received(by: peer).videos {
            let subscription = video.subscription
            guard subscription.preference != .none else { continue }
            sample.videos += 1
            // What a role's maximum leaves out says nothing of the way.
            guard subscription.isLimited,
                peer.sharing(of: subscription.connection).isLimitedByWay
            else { continue }
            if subscription.name == .none { sample.missing += 1 } else { sample.reduced += 1 }
        }
        return sample
    }
}
