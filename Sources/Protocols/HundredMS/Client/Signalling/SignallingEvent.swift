/// A typed event from the server.
public enum SignallingEvent: Hashable, Sendable {
    /// Our role. Before the first of these only pings may be sent. A further one on the same socket
    /// is a new role.
    case policy(PolicyPayload)
    /// All peers and the room's state; sent again after every reconnection.
    case peerList(PeerListPayload)
    case roomState(RoomStateNotification)
    case roomInfo(RoomInfoNotification)
    case sessionInfo(SessionInfoNotification)
    case peerJoined(PeerPayload)
    case peerLeft(PeerPayload)
    case peerUpdated(PeerPayload)
    case tracksAdded([TrackPayload], of: PeerPayload)
    case tracksUpdated([TrackPayload], of: PeerPayload)
    case tracksRemoved([TrackPayload], of: PeerPayload)
    /// The server's offer for the subscribe connection; must be answered.
    case offer(sdp: String)
    case trickle(TransportTarget, CandidatePayload)
    case broadcast(BroadcastNotification)
    case hls(HLSPayload)
    case metadata([MetadataPayload])
    /// We are offered a role: see ``SignallingClient/acceptRole(_:)``.
    case roleOffered(RoleOfferPayload)
    /// We are asked to mute or unmute one of our tracks. A client that complies reports it by
    /// ``SignallingClient/updateTracks(_:)``.
    case trackMuteRequested(TrackMutePayload)
    /// The same for all tracks of a kind.
    case mutesRequested(MutesPayload)
    /// We have been removed, or the room has ended.
    case leaveRequested(LeaveRequestNotification)
    /// The answer to `join`. `sdp` is empty if the client made no offer.
    case joined(RequestID, sdp: String)
    /// The answer to `offer`.
    case answered(RequestID, sdp: String)
    case sent(RequestID, BroadcastResult)
    /// The groups we are in, after we joined or left one.
    case groups(RequestID, [String])
    case peersFound(RequestID, PeerSearchResult)
    /// Another call succeeded.
    case done(RequestID, ClientMethod)
    /// A call was refused.
    case refused(RequestID, ClientMethod, ErrorPayload)
    /// The server ended the session; the client must not reconnect.
    case fatal(ErrorPayload)
    case warning(ErrorPayload)
    /// A frame that was unreadable or unsolicited. It has no effect.
    case ignored(String)
    /// The server was silent for too long: reconnect.
    case silent
}
