public import MediaKernel

/// Requests that act on other peers, subject to the role's permissions.
extension SignallingClient {
    /// Gives a peer another role, or asks it to take one.
    @discardableResult
    public mutating func changeRole(
        of peer: PeerID, to role: String, isForced: Bool
    ) -> RequestID {
        call(
            .roleChangeRequest,
            RoleChangeRequestParameters(requestedFor: peer, role: role, force: isForced))
    }

    /// Gives all peers of some roles another role.
    @discardableResult
    public mutating func changeRole(ofRoles roles: [String], to role: String) -> RequestID {
        call(.roleChangeRequest, RoleChangeRequestParameters(roles: roles, role: role, force: true))
    }

    /// Accepts a role that we were offered. The new policy follows.
    @discardableResult
    public mutating func acceptRole(_ offer: RoleOfferPayload) -> RequestID {
        call(.roleChange, offer)
    }

    /// Asks a peer to mute or unmute one of its tracks.
    @discardableResult
    public mutating func requestMute(
        _ isMuted: Bool, track: TrackPayload, of peer: PeerID
    ) -> RequestID {
        call(
            .trackUpdateRequest,
            TrackMuteParameters(
                requestedFor: peer, trackID: track.trackID, streamID: track.streamID,
                mute: isMuted))
    }

    /// Asks for all tracks of a kind to be muted or unmuted: those of one peer, of some roles, or
    /// of all other peers.
    @discardableResult
    public mutating func requestMutes(_ request: MutesParameters) -> RequestID {
        call(.changeTrackMuteStateRequest, request)
    }
}
