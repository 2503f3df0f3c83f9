internal import GroupCalls
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests about group calls (`docs/GROUP-CALLS.md`).
struct GroupCallCalls {
    let peer: PeerID

    func perform(
        _ request: CallRequest, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        let caller = try ruled { () throws(RoomError) in
            // Acts of a hidden peer would reveal it.
            let caller = try host.room.peers.visiblePeer(peer)
            if request.isRead {
                try host.room.readAsked(by: peer, at: host.clock.now())
            } else {
                try host.room.fanOutRequested(
                    request.isMessage ? [.broadcast] : [], by: peer, at: host.clock.now())
            }
            return CallCaller(peer: peer, user: caller.userID, role: caller.role)
        }
        return try await Self.perform(request, by: caller, in: host)
    }

    static func perform(
        _ request: CallRequest, by caller: CallCaller, in host: isolated RoomHost
    ) async throws(SignallingError) -> Reply {
        do throws(CallError) {
            return .result(
                try await host.calls.perform(request, by: caller, in: host.room.id).json)
        } catch {
            throw .call(error)
        }
    }
}
