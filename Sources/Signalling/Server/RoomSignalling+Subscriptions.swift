internal import MediaKernel
internal import Rooms

/// How peers are to receive what is published, and how well it reaches them.
extension RoomSignalling {
    /// By the roles of the peers and of those who publish. Who is hidden receives for others, and so
    /// everything that its way carries.
    func subscriptions(of ids: [PeerID]) -> [PeerSubscriptions] {
        // Found once, since whoever publishes changes what everybody receives.
        let published = room.publishers.map { publisher in
            let role = room.policy.role(publisher.role)
            let entries = publisher.tracks.map { track in
                let track = PublishedTrack(track)
                return PeerSubscriptions.Entry(
                    track: track, publisher: publisher.id, priority: role?.priority ?? 5,
                    bitRate: role?.publishParams.bitRate(
                        of: track.kind, isPresentation: track.isPresentation))
            }
            return (publisher: publisher, entries: entries)
        }
        return ids.compactMap { room.peer($0) }.map { peer in
            let role = room.policy.role(peer.role)
            let params = role?.isHidden == false ? role?.subscribeParams : nil
            let received = published.filter { room.receives(peer, from: $0.publisher) }
            return PeerSubscriptions(
                peer: peer.id, tracks: received.flatMap { $0.entries },
                bitRateMaximum: params?.maxSubsBitRate, degradation: params?.subscribeDegradation)
        }
    }

    /// Everybody hears of everybody of whom they are told, and of themselves.
    func tellQuality(_ scores: [(PeerID, score: Int)]) async {
        var listed: [ConnectionQualityPayload.Peer] = []
        var letters: [(peer: PeerID, text: String)] = []
        for (id, score) in scores {
            guard let peer = try? room.visiblePeer(id) else { continue }
            let quality = ConnectionQualityPayload.Peer(
                peerID: id, downlinkScore: min(max(score, 0), 5))
            if !peer.isQuiet {
                listed.append(quality)
            } else if let text = qualityText([quality]), seats[id] == .open {
                letters.append((id, text))
            }
        }
        let listeners = room.visiblePeers.map(\.id).filter { seats[$0] == .open }
        for start in stride(from: 0, to: listed.count, by: SignallingLimits.qualities) {
            let part = listed[start..<min(start + SignallingLimits.qualities, listed.count)]
            guard let text = qualityText(Array(part)) else { continue }
            letters += listeners.map { ($0, text) }
        }
        if !letters.isEmpty { await media.sendData(letters) }
    }

    private func qualityText(_ peers: [ConnectionQualityPayload.Peer]) -> String? {
        text(
            of: CallFrame.dataNotification(
                .onConnectionQualityUpdate, ConnectionQualityPayload(peers: peers)))
    }
}
