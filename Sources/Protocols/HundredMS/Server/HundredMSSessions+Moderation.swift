internal import MediaKernel
internal import RoomHost
internal import Rooms

/// Requests that act on other peers, subject to the role's permissions
/// (`docs/PROTOCOL.md` section 5).
extension HundredMSSessions {
    func requestRoleChange(
        _ params: RoleChangeRequestParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let isForced = params.force ?? false
        switch (params.requestedFor, params.roles) {
        case (let target?, nil):
            try ruled { () throws(RoomError) in
                try host.room.roleChangeRequested(
                    of: target, to: params.role, isForced: isForced, by: peer, at: host.clock.now())
            }
        case (nil, let roles?):
            guard isForced else {
                throw .badParameter("force", reason: "must be true for a change by 'roles'")
            }
            try ruled { () throws(RoomError) in
                try host.room.roleChangeRequested(
                    ofRoles: roles, to: params.role, by: peer, at: host.clock.now())
            }
        case (_?, _?):
            throw .badParameter("roles", reason: "cannot stand beside 'requested_for'")
        case (nil, nil):
            throw .missingParameter("requested_for")
        }
        return .empty
    }

    func acceptRole(
        _ params: RoleOfferPayload, by peer: PeerID, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.roleOfferAccepted(
                token: params.token, role: params.role, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func requestMute(
        _ params: TrackMuteParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.muteRequested(
                params.mute, track: params.trackID, stream: params.streamID,
                of: params.requestedFor, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func requestMutes(
        _ params: MutesParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let request = MuteRequest(
            isMuted: params.value, kind: params.type, source: params.source,
            roles: params.roles ?? [])
        try ruled { () throws(RoomError) in
            try host.room.mutesRequested(
                request, of: params.requestedFor, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func endRoom(_ params: EndRoomParameters, by peer: PeerID, in host: isolated RoomHost)
        throws(SignallingError) -> Reply
    {
        try ruled { () throws(RoomError) in
            try host.room.endRequested(
                by: peer, lock: params.lock ?? false, reason: params.reason ?? "",
                at: host.clock.now())
        }
        return .empty
    }

    func removePeer(
        _ params: PeerLeaveParameters, by peer: PeerID, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.removalRequested(
                of: params.requestedFor, by: peer, reason: params.reason ?? "", at: host.clock.now()
            )
        }
        return .empty
    }
}
