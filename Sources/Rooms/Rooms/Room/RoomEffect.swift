public import MediaKernel

/// An effect of a transition, in order. A room never does anything itself.
public enum RoomEffect: Hashable, Sendable {
    /// Tell these peers. All of them are reachable; none is told of a hidden peer.
    case tell([PeerID], RoomEvent)
    /// The tracks that this peer is to receive may have changed, or what its role says of how: see
    /// ``Room/receives(_:from:)``.
    case resubscribe(PeerID)
    /// The peer is gone: take down its media.
    case releaseMedia(PeerID)
    /// These were put out, be their sockets there or not. Those that had joined are told, once they
    /// can be; their sockets are closed after that. Who ended the room itself has time to leave.
    case dismiss([Peer], Dismissal)
    /// Visitors that watch the room without having joined are notified.
    case refreshPreviews
    /// Whoever keeps account of the room should hear of it.
    case noted(RoomNote)
}

/// A notification to peers.
public enum RoomEvent: Hashable, Sendable {
    case peerJoined(Peer)
    case peerLeft(Peer)
    case peerUpdated(Peer)
    /// The peer is still there and only watches: the recipient is told of it no more.
    case peerReceded(Peer)
    /// The recipient has this role from now on.
    case policyChanged(role: String)
    /// The recipient may take a role.
    case roleOffered(RoleOffer)
    case tracksAdded([Track], of: Peer)
    case tracksUpdated([Track], of: Peer)
    case tracksRemoved([Track], of: Peer)
    case messageSent(Message)
    case hlsChanged(HLSState)
    /// The recording of the streams, which `hlsChanged` carries too, changed.
    case recordingChanged(HLSState)
    /// The recording without a live stream changed.
    case roomRecordingChanged(RoomRecording)
    case rtmpChanged(RTMPState)
    case storeChanged([SessionStore.Entry])
    case pollStarted(PollInfo)
    case pollStopped(PollInfo)
    /// What has been answered so far, as far as the recipients may see it.
    case pollCounted(PollID, PollResult)
    /// The recipient is asked to mute or unmute a track of its own …
    case trackMuteRequested(Track, isMuted: Bool, by: PeerID)
    /// … or all that it has of a kind.
    case mutesRequested(MuteRequest, by: PeerID)
}
