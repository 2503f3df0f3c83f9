internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms

/// The messages on the peers' data channels: who speaks, the quality of connections, and which
/// layers a peer prefers.
struct DataChannelMessages {
    /// The peers that joined by this protocol.
    let members: Set<PeerID>

    /// - Parameter speakers: loudest first.
    func tellSpeakers(_ speakers: [ActiveSpeaker], in host: isolated RoomHost) async {
        // Audio that a peer has not published is ignored.
        var speaking: [(peer: Peer, track: Track, speaker: ActiveSpeakersPayload.Speaker)] = []
        for speaker in speakers {
            guard let peer = host.room.peers[speaker.peer],
                let track = peer.track(published: speaker.track)
            else { continue }
            let level = min(max(speaker.level, 0), 100)
            speaking.append((peer, track, .init(peerID: peer.id, trackID: track.id, level: level)))
        }
        // Most peers hear the same speakers, so each list is rendered once.
        var rendered: [[ActiveSpeakersPayload.Speaker]: String] = [:]
        var texts: [(peer: PeerID, text: String)] = []
        for id in members where host.hasMedia(id) {
            guard let listener = host.room.peers[id], listener.hasJoined else { continue }
            // Counted per listener, so that speakers it does not receive do not displace those it
            // does. Its own voice counts: clients show all speakers, themselves included.
            var heard: [ActiveSpeakersPayload.Speaker] = []
            for (peer, track, speaker) in speaking
            where peer.id == id || host.room.peers.receives(listener, from: peer) {
                var speaker = speaker
                if peer.id == id { speaker.trackID = track.publishedID }
                heard.append(speaker)
                if heard.count == SignallingLimits.speakers { break }
            }
            if rendered[heard] == nil {
                rendered[heard] = FrameCodec.text(
                    of: CallFrame.dataNotification(
                        .activeSpeakers, ActiveSpeakersPayload(speakerList: heard)), for: host)
            }
            if let text = rendered[heard] { texts.append((id, text)) }
        }
        await host.media.sendTexts(texts)
    }

    /// A peer's preference for a track.
    private struct Preference {
        var track: TrackID
        var layer: LayerPreference
    }

    /// A peer sent a text: a request, or something that is ignored.
    func received(_ text: String, from peer: PeerID, in host: isolated RoomHost) async {
        guard let (answer, preference) = answer(to: text, from: peer, in: host) else { return }
        if let preference {
            await host.media.setPreference(preference.layer, track: preference.track, of: peer)
        }
        if let answer { await host.media.sendTexts([(peer, answer)]) }
    }

    /// `nil` if there is no peer or no request to answer.
    private func answer(
        to data: String, from peer: PeerID, in host: isolated RoomHost
    ) -> (text: String?, preference: Preference?)? {
        guard members.contains(peer), let listener = host.room.peers[peer], listener.hasJoined,
            data.utf8.count <= SignallingLimits.dataFrameBytes,
            let frame = try? IncomingFrame(data, limits: .frame),
            let id = frame.head.id, let name = frame.head.method
        else { return nil }
        do {
            let preference = try preference(name, frame)
            guard host.room.peers.receives(listener, preference.track) else {
                let error = ErrorPayload(code: 404, message: "track not found")
                return (FrameCodec.text(of: ErrorFrame(id: id, error: error), for: host), nil)
            }
            let result = PreferStateResult(trackID: preference.track)
            return (FrameCodec.text(of: ResultFrame(id: id, result: result), for: host), preference)
        } catch {
            return (
                FrameCodec.text(of: ErrorFrame(id: id, error: error.payload(for: .web)), for: host),
                nil
            )
        }
    }

    /// Missing parameters request the whole track.
    private func preference(_ name: String, _ frame: IncomingFrame) throws(SignallingError)
        -> Preference
    {
        switch DataChannelMethod(rawValue: name) {
        case .preferVideoTrackState:
            let preference = try frame.parameters(PreferVideoParameters.self)
            return Preference(track: preference.trackID, layer: preference.maxSpatialLayer ?? .high)
        case .preferAudioTrackState:
            let preference = try frame.parameters(PreferAudioParameters.self)
            return Preference(
                track: preference.trackID, layer: preference.subscribed == false ? .none : .high)
        case .activeSpeakers, .onTrackLayerUpdate, .onConnectionQualityUpdate, nil:
            throw .unknownMethod(name)
        }
    }

    /// Every peer receives the quality of the peers listed for it, and its own.
    func tellQuality(_ qualities: [PeerQuality], in host: isolated RoomHost) async {
        var listed: [ConnectionQualityPayload.Peer] = []
        var texts: [(peer: PeerID, text: String)] = []
        for quality in qualities {
            guard let peer = try? host.room.peers.visiblePeer(quality.peer) else { continue }
            let score = ConnectionQualityPayload.Peer(
                peerID: peer.id, downlinkScore: min(max(quality.score, 0), 5))
            if !peer.isQuiet {
                listed.append(score)
            } else if let text = qualityText([score], in: host), isListening(peer.id, in: host) {
                texts.append((peer.id, text))
            }
        }
        let listeners = host.room.peers.visible.map(\.id).filter { isListening($0, in: host) }
        for start in stride(from: 0, to: listed.count, by: SignallingLimits.qualities) {
            let part = listed[start..<min(start + SignallingLimits.qualities, listed.count)]
            guard let text = qualityText(Array(part), in: host) else { continue }
            texts += listeners.map { ($0, text) }
        }
        if !texts.isEmpty { await host.media.sendTexts(texts) }
    }

    private func isListening(_ peer: PeerID, in host: isolated RoomHost) -> Bool {
        members.contains(peer) && host.hasMedia(peer)
    }

    private func qualityText(
        _ peers: [ConnectionQualityPayload.Peer], in host: isolated RoomHost
    ) -> String? {
        FrameCodec.text(
            of: CallFrame.dataNotification(
                .onConnectionQualityUpdate, ConnectionQualityPayload(peers: peers)), for: host)
    }
}
