/// The requests and notifications from clients that this server understands (`docs/PROTOCOL.md`
/// section 5).
public enum ClientMethod: String, Sendable, Hashable, CaseIterable {
    case join, offer, answer, trickle, broadcast, leave, ping, analytics
    case trackUpdate = "track-update"
    case endRoom = "end-room"
    case peerLeaveRequest = "peer-leave-request"
    case roleChangeRequest = "role-change-request"
    case roleChange = "role-change"
    case trackUpdateRequest = "track-update-request"
    case changeTrackMuteStateRequest = "change-track-mute-state-request"
    case hlsStart = "hls-start"
    case hlsStop = "hls-stop"
    case hlsTimedMetadata = "hls-timed-metadata"
    case rtmpStart = "rtmp-start"
    case rtmpStop = "rtmp-stop"
    case peerUpdate = "peer-update"
    case getPeer = "get-peer"
    case findPeer = "find-peer"
    case peerIterNext = "peer-iter-next"
    case peerNameSearch = "peer-name-search"
    case groupJoin = "group-join"
    case groupLeave = "group-leave"
    case groupAdd = "group-add"
    case groupRemove = "group-remove"
    case setMetadata = "set-metadata"
    case getMetadata = "get-metadata"
    case listenMetadataChange = "listen-metadata-change"
    case pollInfoSet = "poll-info-set"
    case pollInfoGet = "poll-info-get"
    case pollQuestionsSet = "poll-questions-set"
    case pollQuestionsGet = "poll-questions-get"
    case pollStart = "poll-start"
    case pollStop = "poll-stop"
    case pollResponse = "poll-response"
    case pollResponses = "poll-responses"
    case pollList = "poll-list"
    case pollResult = "poll-result"
    case pollLeaderboard = "poll-leaderboard"
    /// Roomcast's own: what a participant asks of a group call (`docs/GROUP-CALLS.md`).
    case groupCall = "group-call"
}

/// The notifications of the server (`docs/PROTOCOL.md` section 6).
public enum ServerMethod: String, Sendable, Hashable, CaseIterable {
    case offer, trickle
    case onError = "on-error"
    case onWarning = "on-warning"
    case onPolicyChange = "on-policy-change"
    case peerList = "peer-list"
    case roomState = "room-state"
    case roomInfo = "room-info"
    case sessionInfo = "session-info"
    case onPeerJoin = "on-peer-join"
    case onPeerLeave = "on-peer-leave"
    case onPeerUpdate = "on-peer-update"
    case onTrackAdd = "on-track-add"
    case onTrackUpdate = "on-track-update"
    case onTrackRemove = "on-track-remove"
    case onBroadcast = "on-broadcast"
    case onHLSUpdate = "on-hls-update"
    case onRecordUpdate = "on-record-update"
    case onRTMPUpdate = "on-rtmp-update"
    case onMetadataChange = "on-metadata-change"
    case onPollStart = "on-poll-start"
    case onPollStop = "on-poll-stop"
    case onPollStats = "on-poll-stats"
    case onPeerLeaveRequest = "on-peer-leave-request"
    case onRoleChangeRequest = "on-role-change-request"
    case onTrackUpdateRequest = "on-track-update-request"
    case onChangeTrackMuteStateRequest = "on-change-track-mute-state-request"
    /// Roomcast's own.
    case onGroupCall = "on-group-call"
}

/// Methods on the `ion-sfu` data channel (`docs/PROTOCOL.md` section 8).
public enum DataChannelMethod: String, Sendable, Hashable {
    case preferVideoTrackState = "prefer-video-track-state"
    case preferAudioTrackState = "prefer-audio-track-state"
    case activeSpeakers = "active-speakers"
    case onTrackLayerUpdate = "on-track-layer-update"
    case onConnectionQualityUpdate = "on-connection-quality-update"
}
