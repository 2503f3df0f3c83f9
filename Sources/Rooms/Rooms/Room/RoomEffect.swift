public import MediaKernel

/// An effect of a transition, in order. A room never does anything itself.
public enum RoomEffect: Hashable, Sendable {
    /// Tell these peers. All of them are reachable; hidden peers are never mentioned.
    case tell([PeerID], RoomEvent)
    /// The tracks that this peer receives, or the limits of its role, may have changed: see
    /// ``Room/receives(_:from:)``.
    case resubscribe(PeerID)
    /// The peer is gone: take down its media.
    case releaseMedia(PeerID)
    /// These peers were removed, whether or not their sockets are connected. The ones that had
    /// joined are told, once they can be; then their sockets are closed. The peer that ended the
    /// room has time to leave.
    case dismiss([Peer], Dismissal)
    /// Previews of the room are notified.
    case refreshPreviews
    /// These messages were deleted: what keeps messages forgets them.
    case messagesDeleted([String])
    /// The audit log gets a note.
    case noted(SessionNote)
}

/// A notification to peers.
public enum RoomEvent: Hashable, Sendable {
    case peerJoined(Peer)
    case peerLeft(Peer)
    case peerUpdated(Peer)
    /// The peer is still there but only watches: the recipient is no longer told about it.
    case peerReceded(Peer)
    /// The recipient has this role from now on.
    case policyChanged(role: String)
    /// The recipient may accept a role.
    case roleOffered(RoleOffer)
    case tracksAdded([Track], of: Peer)
    case tracksUpdated([Track], of: Peer)
    case tracksRemoved([Track], of: Peer)
    case messageSent(Message)
    case hlsChanged(HLSState)
    /// The recording of the streams changed, which `hlsChanged` also contains.
    case recordingChanged(HLSState)
    /// The recording without a live stream changed.
    case roomRecordingChanged(RoomRecording)
    case rtmpChanged(RTMPState)
    case storeChanged([SessionStore.Entry])
    case pollStarted(PollInfo)
    case pollStopped(PollInfo)
    /// The answers so far, as far as the recipients may see them.
    case pollCounted(PollID, PollResult)
    /// The recipient is asked to mute or unmute a track of its own …
    case trackMuteRequested(Track, isMuted: Bool, by: PeerID)
    /// … or all its tracks of a kind.
    case mutesRequested(MuteRequest, by: PeerID)
    /// The recipient has unmuted a track of its own that it may not, so the room has muted it.
    case unmuteHeld(Track, by: PeerID)
    /// A service beside the room has news.
    case noticed(Notice)
}
