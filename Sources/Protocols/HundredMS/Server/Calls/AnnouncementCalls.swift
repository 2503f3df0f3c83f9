internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests with which it changes itself or sends to others (`docs/PROTOCOL.md`
/// section 5).
struct AnnouncementCalls {
    let peer: PeerID

    func updateTracks(
        _ params: TrackUpdateParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        var changes: [TrackID: TrackChange] = [:]
        for (id, change) in params.tracks {
            changes[TrackID(id)] = TrackChange(
                isMuted: change.mute, description: change.description)
        }
        try ruled { () throws(RoomError) in
            try host.room.tracksUpdated(changes, by: peer, at: host.clock.now())
        }
        return .empty
    }

    func broadcast(
        _ params: BroadcastParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let audience: Audience
        if let target = params.peerID {
            audience = .peer(target)
        } else if let roles = params.roles, !roles.isEmpty {
            audience = .roles(roles)
        } else {
            audience = .everybody
        }
        let message = try ruled { () throws(RoomError) in
            try host.room.messageSent(
                by: peer, to: audience, type: params.info.type ?? "chat", body: params.info.message,
                replyTo: params.info.replyTo, at: host.clock.now(), wall: host.clock.wall())
        }
        host.streaming.said(message, room: host.room.id)
        return .result(
            BroadcastResult(timestamp: message.sentAt.milliseconds, messageID: message.id))
    }

    func updatePeer(
        _ params: PeerUpdateParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in
            try host.room.peerUpdated(
                peer, name: params.name, metadata: params.data, at: host.clock.now())
        }
        return .empty
    }
}
