/// What the server says unasked.
extension SignallingClient {
    mutating func receivedNotification(
        _ name: String, _ text: String
    ) throws(SignallingError) {
        guard let method = ServerMethod(rawValue: name) else {
            return ignore("notification '\(name)' is not known here")
        }
        switch method {
        case .offer:
            emit(.offer(sdp: try read(DescriptionPayload.self, text).sdp))
        case .trickle:
            let trickle = try read(TrickleParameters.self, text)
            emit(.trickle(trickle.target, trickle.candidate))
        case .onError:
            emit(.fatal(try read(ErrorPayload.self, text)))
        case .onWarning:
            emit(.warning(try read(ErrorPayload.self, text)))
        case .onPolicyChange:
            emit(.policy(try read(PolicyPayload.self, text)))
        case .peerList:
            emit(.peerList(try read(PeerListPayload.self, text)))
        case .roomState:
            emit(.roomState(try read(RoomStateNotification.self, text)))
        case .roomInfo:
            emit(.roomInfo(try read(RoomInfoNotification.self, text)))
        case .sessionInfo:
            emit(.sessionInfo(try read(SessionInfoNotification.self, text)))
        case .onPeerJoin:
            emit(.peerJoined(try read(PeerPayload.self, text)))
        case .onPeerLeave:
            emit(.peerLeft(try read(PeerPayload.self, text)))
        case .onPeerUpdate:
            emit(.peerUpdated(try read(PeerPayload.self, text)))
        case .onTrackAdd:
            let (tracks, peer) = try readTracks(text)
            emit(.tracksAdded(tracks, of: peer))
        case .onTrackUpdate:
            let (tracks, peer) = try readTracks(text)
            emit(.tracksUpdated(tracks, of: peer))
        case .onTrackRemove:
            let (tracks, peer) = try readTracks(text)
            emit(.tracksRemoved(tracks, of: peer))
        case .onBroadcast:
            emit(.broadcast(try read(BroadcastNotification.self, text)))
        case .onHLSUpdate:
            emit(.hls(try read(HLSPayload.self, text)))
        case .onRecordUpdate, .onRTMPUpdate, .onPollStart, .onPollStop, .onPollStats:
            // What is kept, sent elsewhere, or asked concerns people, and no client of ours.
            break
        case .onRoleChangeRequest:
            emit(.roleOffered(try read(RoleOfferPayload.self, text)))
        case .onTrackUpdateRequest:
            emit(.trackMuteRequested(try read(TrackMutePayload.self, text)))
        case .onChangeTrackMuteStateRequest:
            emit(.mutesRequested(try read(MutesPayload.self, text)))
        case .onMetadataChange:
            emit(.metadata(try read(MetadataNotification.self, text).values))
        case .onPeerLeaveRequest:
            emit(.leaveRequested(try read(LeaveRequestNotification.self, text)))
        }
    }

    private func readTracks(
        _ text: String
    ) throws(SignallingError) -> ([TrackPayload], PeerPayload) {
        let notification = try read(TracksNotification.self, text)
        // By id, so that equal frames are equal events.
        return (
            notification.tracks.values.sorted { $0.trackID < $1.trackID }, notification.peer
        )
    }

    private func read<Payload: Decodable>(
        _ type: Payload.Type, _ text: String
    ) throws(SignallingError) -> Payload {
        try FrameCodec.parameters(type, from: text)
    }
}
