internal import MediaKernel
internal import Rooms

/// What a peer may do to others, when its role permits it (`hms.md` section 5).
extension RoomSignalling {
    func endRoom(_ params: EndRoomParameters, by peer: PeerID) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.endRequested(
                by: peer, lock: params.lock ?? false, reason: params.reason ?? "")
        }
        return .empty
    }

    func removePeer(
        _ params: PeerLeaveParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try room.removalRequested(
                of: params.requestedFor, by: peer, reason: params.reason ?? "")
        }
        return .empty
    }
}
