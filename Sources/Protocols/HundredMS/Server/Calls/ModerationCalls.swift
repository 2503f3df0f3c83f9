internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests that act on other peers, subject to its role's permissions
/// (`docs/PROTOCOL.md` section 5).
struct ModerationCalls {
    let peer: PeerID

    func requestRoleChange(
        _ params: RoleChangeRequestParameters, in host: isolated RoomHost
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
                throw .badParameter("force", .neededBeside("roles"))
            }
            try ruled { () throws(RoomError) in
                try host.room.roleChangeRequested(
                    ofRoles: roles, to: params.role, by: peer, at: host.clock.now())
            }
        case (_?, _?):
            throw .badParameter("roles", .excludedBy("requested_for"))
        case (nil, nil):
            throw .missingParameter("requested_for")
        }
        return .empty
    }

    func acceptRole(
        _ params: RoleOfferPayload, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.roleOfferAccepted(
                token: params.token, role: params.role, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func requestMute(
        _ params: TrackMuteParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.muteRequested(
                params.mute, track: params.trackID, stream: params.streamID,
                of: params.requestedFor, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func requestMutes(
        _ params: MutesParameters, in host: isolated RoomHost
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

    func endRoom(_ params: EndRoomParameters, in host: isolated RoomHost)
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
        _ params: PeerLeaveParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.removalRequested(
                of: params.requestedFor, by: peer, reason: params.reason ?? "", at: host.clock.now()
            )
        }
        return .empty
    }
}
