/// Notifications from the server.
extension SignallingClient {
    mutating func receivedNotification(
        _ name: String, _ frame: IncomingFrame
    ) throws(SignallingError) {
        guard let method = ServerMethod(rawValue: name) else {
            return ignore("notification '\(name)' is not known here")
        }
        switch method {
        case .offer:
            emit(.offer(sdp: try read(DescriptionPayload.self, frame).sdp))
        case .trickle:
            let trickle = try read(TrickleParameters.self, frame)
            emit(.trickle(trickle.target, trickle.candidate))
        case .onError:
            emit(.fatal(try read(ErrorPayload.self, frame)))
        case .onWarning:
            emit(.warning(try read(ErrorPayload.self, frame)))
        case .onPolicyChange:
            emit(.policy(try read(PolicyPayload.self, frame)))
        case .peerList:
            emit(.peerList(try read(PeerListPayload.self, frame)))
        case .roomState:
            emit(.roomState(try read(RoomStateNotification.self, frame)))
        case .roomInfo:
            emit(.roomInfo(try read(RoomInfoNotification.self, frame)))
        case .sessionInfo:
            emit(.sessionInfo(try read(SessionInfoNotification.self, frame)))
        case .onPeerJoin:
            emit(.peerJoined(try read(PeerPayload.self, frame)))
        case .onPeerLeave:
            emit(.peerLeft(try read(PeerPayload.self, frame)))
        case .onPeerUpdate:
            emit(.peerUpdated(try read(PeerPayload.self, frame)))
        case .onTrackAdd:
            let (tracks, peer) = try readTracks(frame)
            emit(.tracksAdded(tracks, of: peer))
        case .onTrackUpdate:
            let (tracks, peer) = try readTracks(frame)
            emit(.tracksUpdated(tracks, of: peer))
        case .onTrackRemove:
            let (tracks, peer) = try readTracks(frame)
            emit(.tracksRemoved(tracks, of: peer))
        case .onBroadcast:
            emit(.broadcast(try read(BroadcastNotification.self, frame)))
        case .onHLSUpdate:
            emit(.hls(try read(HLSPayload.self, frame)))
        case .onRecordUpdate, .onRTMPUpdate, .onPollStart, .onPollStop, .onPollStats, .onGroupCall:
            // Recordings, pushes, polls and calls are for human users, not for our clients.
            break
        case .onRoleChangeRequest:
            emit(.roleOffered(try read(RoleOfferPayload.self, frame)))
        case .onTrackUpdateRequest:
            emit(.trackMuteRequested(try read(TrackMutePayload.self, frame)))
        case .onChangeTrackMuteStateRequest:
            emit(.mutesRequested(try read(MutesPayload.self, frame)))
        case .onMetadataChange:
            emit(.metadata(try read(MetadataNotification.self, frame).values))
        case .onPeerLeaveRequest:
            emit(.leaveRequested(try read(LeaveRequestNotification.self, frame)))
        }
    }

    private func readTracks(
        _ frame: IncomingFrame
    ) throws(SignallingError) -> ([TrackPayload], PeerPayload) {
        let notification = try read(TracksNotification.self, frame)
        // Sorted by id, so that equal frames give equal events.
        return (
            notification.tracks.values.sorted { $0.trackID < $1.trackID }, notification.peer
        )
    }

    private func read<Payload: Decodable>(
        _ type: Payload.Type, _ frame: IncomingFrame
    ) throws(SignallingError) -> Payload {
        try frame.parameters(type)
    }
}
