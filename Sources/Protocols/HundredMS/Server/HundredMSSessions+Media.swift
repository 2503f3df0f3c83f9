internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms
internal import SDP

/// Events from the media plane.
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
            await DataChannelMessages(members: members).received(text, from: peer, in: host)
        case .trackLayers(let peer, let tracks):
            guard members.contains(peer) else { break }
            let layers = TrackLayersPayload(tracks: tracks.map(TrackLayersPayload.Track.init))
            let frame = CallFrame.dataNotification(.onTrackLayerUpdate, layers)
            guard let text = FrameCodec.text(of: frame, for: host) else { break }
            await host.media.sendTexts([(peer, text)])
        case .activeSpeakers(let speakers):
            await DataChannelMessages(members: members).tellSpeakers(speakers, in: host)
        case .connectionQuality(let qualities):
            await DataChannelMessages(members: members).tellQuality(qualities, in: host)
        case .connection, .trackMedia, .tracksSent, .dataBinary:
            break
        }
    }

    /// A peer without a socket has none: its next socket starts with a fresh offer.
    private func listener(_ peer: PeerID) -> Connection? {
        current[peer].flatMap { connections[$0] }
    }
}
