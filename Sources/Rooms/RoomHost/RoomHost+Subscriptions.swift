public import MediaKernel
internal import MediaServer
internal import Rooms

/// Peers' subscriptions.
extension RoomHost {
    /// According to the roles of subscribers and publishers. Hidden peers receive for others, and
    /// so everything that their link carries.
    func subscriptions(of ids: [PeerID]) -> [PeerSubscriptions] {
        // Computed once, since publishing changes all subscriptions.
        let published = room.peers.publishers.map { publisher in
            (publisher: publisher, tracks: wanted(tracksOf: publisher))
        }
        let speaker = views.isEmpty ? nil : speaker
        return ids.compactMap { room.peers[$0] }.map { (peer: Peer) -> PeerSubscriptions in
            let role = room.policy.role(peer.role)
            let params = role?.isHidden == false ? role?.subscribeParams : nil
            let received = published.filter { room.peers.receives(peer, from: $0.publisher) }
            let tracks = received.flatMap { publisher, wanted in
                guard let view = views[peer.id] else { return wanted }
                return zip(publisher.tracks, wanted)
                    .filter { view.includes($0.0, of: publisher, speaker: speaker) }
                    .map { track, wanted in
                        var wanted = wanted
                        wanted.connection = view.connection(of: track.id)
                        return wanted
                    }
            }
            return PeerSubscriptions(
                peer: peer.id, tracks: tracks,
                bitsPerSecondMaximum: (params?.maxSubsBitRate).map { $0 * 1000 },
                lossDegradation: params?.subscribeDegradation.map(LossDegradationRule.init))
        }
    }

    /// The tracks that a peer wants from now on.
    public func setView(_ view: RoomView, of peer: PeerID) {
        guard room.peers[peer] != nil, (views[peer] ?? .everything) != view else { return }
        views[peer] = view == .everything ? nil : view
        orders.add(.subscriptions(peer))
    }

    private func wanted(tracksOf publisher: Peer) -> [WantedTrack] {
        let role = room.policy.role(publisher.role)
        return publisher.tracks.map { track in
            let bitRate = role?.publishParams.bitRate(
                of: track.kind, isPresentation: track.isPresentation)
            return WantedTrack(
                id: track.id, publisher: publisher.id, publishedID: track.publishedID,
                isVideo: track.kind == .video,
                statedBitsPerSecond: bitRate.map { min($0, 1_000_000) * 1000 },
                importance: TrackImportance(
                    priority: role?.priority ?? 5, isScreen: track.isPresentation),
                isHeldBack: track.isMuted && mutedForOthers.contains(publisher.id)
                    || room.peers.isHeldBack(track.id, of: publisher.id))
        }
    }
}

extension LossDegradationRule {
    fileprivate init(_ degradation: SubscribeDegradation) {
        self.init(
            threshold: Double(degradation.packetLossThreshold) / 100,
            degradeGrace: .seconds(degradation.degradeGracePeriodSeconds),
            recoverGrace: .seconds(degradation.recoverGracePeriodSeconds))
    }
}
