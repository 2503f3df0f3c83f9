internal import MediaKernel
internal import Rooms

/// How peers are to receive what is published, and how well it reaches them.
extension RoomSignalling {
    /// By the roles of the peer and of those who publish. Who is hidden receives for others, and so
    /// everything that its way carries.
    func subscriptions(of id: PeerID) -> PeerSubscriptions {
        let role = room.peer(id).flatMap { room.policy.role($0.role) }
        let params = role?.isHidden == false ? role?.subscribeParams : nil
        var tracks: [PeerSubscriptions.Entry] = []
        for publisher in room.publishers(for: id) {
            let priority = room.policy.role(publisher.role)?.priority ?? 5
            tracks += publisher.tracks.map { .init(track: PublishedTrack($0), priority: priority) }
        }
        return PeerSubscriptions(
            peer: id, tracks: tracks,
            maxBitRate: params?.maxSubsBitRate, degradation: params?.subscribeDegradation)
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
