internal import MediaKernel
internal import Rooms

/// What a peer may do to others, when its role permits it (`docs/PROTOCOL.md` section 5).
extension RoomSignalling {
    func requestRoleChange(
        _ params: RoleChangeRequestParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        let isForced = params.force ?? false
        switch (params.requestedFor, params.roles) {
        case (let target?, nil):
            try ruled { () throws(RoomError) in
                try room.roleChangeRequested(
                    of: target, to: params.role, isForced: isForced, by: peer, at: clock.now())
            }
        case (nil, let roles?):
            guard isForced else {
                throw .badParameter("force", reason: "must be true for a change by 'roles'")
            }
            try ruled { () throws(RoomError) in
                try room.roleChangeRequested(
                    ofRoles: roles, to: params.role, by: peer, at: clock.now())
            }
        case (_?, _?):
            throw .badParameter("roles", reason: "cannot stand beside 'requested_for'")
        case (nil, nil):
            throw .missingParameter("requested_for")
        }
        return .empty
    }

    func acceptRole(
        _ params: RoleOfferPayload, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.roleOfferAccepted(
                token: params.token, role: params.role, by: peer, at: clock.now())
        }
        return .empty
    }

    func requestMute(
        _ params: TrackMuteParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.muteRequested(
                params.mute, track: params.trackID, stream: params.streamID,
                of: params.requestedFor, by: peer, at: clock.now())
        }
        return .empty
    }

    func requestMutes(
        _ params: MutesParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        let request = MuteRequest(
            isMuted: params.value, kind: params.type, source: params.source,
            roles: params.roles ?? [])
        try ruled { () throws(RoomError) in
            try room.mutesRequested(
                request, of: params.requestedFor, by: peer, at: clock.now())
        }
        return .empty
    }

    func endRoom(_ params: EndRoomParameters, by peer: PeerID) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.endRequested(
                by: peer, lock: params.lock ?? false, reason: params.reason ?? "",
                at: clock.now())
        }
        return .empty
    }

    func removePeer(
        _ params: PeerLeaveParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.removalRequested(
                of: params.requestedFor, by: peer, reason: params.reason ?? "", at: clock.now())
        }
        return .empty
    }
}
