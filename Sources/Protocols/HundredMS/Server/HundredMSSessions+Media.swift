internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import SDP

/// Events from the media plane, and messages to it.
extension HundredMSSessions {
    func received(_ event: MediaEvent, in host: isolated RoomHost) async {
        switch event {
        case .subscribeOffer(let peer, let offer, let socket):
            let sdp = await Self.rendered(offer)
            // The client may be on another socket by now, which gets another offer.
            guard host.offersSubscribe(to: peer, for: socket), let listener = listener(peer)
            else { break }
            push(.offer, DescriptionPayload(type: .offer, sdp: sdp), to: listener, in: host)
        case .excessMedia(let peer, let track):
            guard let listener = listener(peer) else { break }
            let error = SignallingError.tooMuchMedia(track: track.map { "\($0)" })
            push(.onWarning, error.payload(for: listener.claims.client), to: listener, in: host)
        case .dataText(let peer, _, let text):
            guard let (answer, preference) = answer(toData: text, from: peer, in: host) else {
                break
            }
            if let preference {
                await host.media.setPreference(preference.layer, track: preference.track, of: peer)
            }
            if let answer { await host.media.sendTexts([(peer, answer)]) }
        case .trackLayers(let peer, let tracks):
            let frame = CallFrame.dataNotification(
                .onTrackLayerUpdate,
                TrackLayersPayload(tracks: tracks.map(TrackLayersPayload.Track.init)))
            if let text = text(of: frame, in: host) { await host.media.sendTexts([(peer, text)]) }
        case .activeSpeakers(let speakers):
            await tellSpeakers(speakers, in: host)
        case .connectionQuality(let qualities):
            await tellQuality(qualities, in: host)
        case .connection, .trackMedia, .dataBinary:
            break
        }
    }

    /// A peer without a socket has none: its next socket starts with a fresh offer.
    private func listener(_ peer: PeerID) -> Connection? {
        current[peer].flatMap { connections[$0] }
    }

    // MARK: - The data channel

    /// - Parameter speakers: loudest first.
    private func tellSpeakers(_ speakers: [ActiveSpeaker], in host: isolated RoomHost) async {
        // Audio that a peer has not published is ignored.
        var speaking: [(peer: Peer, track: Track, speaker: ActiveSpeakersPayload.Speaker)] = []
        for speaker in speakers {
            guard let peer = host.room.peer(speaker.peer),
                let track = peer.track(published: speaker.track)
            else { continue }
            let level = min(max(speaker.level, 0), 100)
            speaking.append((peer, track, .init(peerID: peer.id, trackID: track.id, level: level)))
        }
        // Most peers hear the same speakers, so each list is rendered once.
        var rendered: [[ActiveSpeakersPayload.Speaker]: String] = [:]
        var texts: [(peer: PeerID, text: String)] = []
        for id in members where host.hasMedia(id) {
            guard let listener = host.room.peer(id), listener.hasJoined else { continue }
            // Counted per listener, so that speakers it does not receive do not displace those it
            // does. Its own voice counts: clients show all speakers, themselves included.
            var heard: [ActiveSpeakersPayload.Speaker] = []
            for (peer, track, speaker) in speaking
            where peer.id == id || host.room.receives(listener, from: peer) {
                var speaker = speaker
                if peer.id == id { speaker.trackID = track.publishedID }
                heard.append(speaker)
                if heard.count == SignallingLimits.speakers { break }
            }
            if rendered[heard] == nil {
                rendered[heard] = text(
                    of: CallFrame.dataNotification(
                        .activeSpeakers, ActiveSpeakersPayload(speakerList: heard)), in: host)
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

    /// `nil` if there is no peer or no request to answer.
    private func answer(
        toData data: String, from peer: PeerID, in host: isolated RoomHost
    ) -> (text: String?, preference: Preference?)? {
        guard members.contains(peer), let listener = host.room.peer(peer), listener.hasJoined,
            data.utf8.count <= SignallingLimits.dataFrameBytes,
            let frame = try? IncomingFrame(data, limits: .frame),
            let id = frame.head.id, let name = frame.head.method
        else { return nil }
        do {
            let preference = try preference(name, frame)
            guard host.room.receives(listener, preference.track) else {
                let error = ErrorPayload(code: 404, message: "track not found")
                return (text(of: ErrorFrame(id: id, error: error), in: host), nil)
            }
            let result = PreferStateResult(trackID: preference.track)
            return (text(of: ResultFrame(id: id, result: result), in: host), preference)
        } catch {
            return (text(of: ErrorFrame(id: id, error: error.payload(for: .web)), in: host), nil)
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
    private func tellQuality(_ qualities: [PeerQuality], in host: isolated RoomHost) async {
        var listed: [ConnectionQualityPayload.Peer] = []
        var texts: [(peer: PeerID, text: String)] = []
        for quality in qualities {
            guard let peer = try? host.room.visiblePeer(quality.peer) else { continue }
            let score = ConnectionQualityPayload.Peer(
                peerID: peer.id, downlinkScore: min(max(quality.score, 0), 5))
            if !peer.isQuiet {
                listed.append(score)
            } else if let text = qualityText([score], in: host), isListening(peer.id, in: host) {
                texts.append((peer.id, text))
            }
        }
        let listeners = host.room.visiblePeers.map(\.id).filter { isListening($0, in: host) }
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
        text(
            of: CallFrame.dataNotification(
                .onConnectionQualityUpdate, ConnectionQualityPayload(peers: peers)), in: host)
    }
}
