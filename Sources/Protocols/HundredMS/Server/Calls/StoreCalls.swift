internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests about the session's store (`docs/PROTOCOL.md` section 5).
struct StoreCalls {
    let peer: PeerID

    /// The key for clients that name none, as in 100ms' first version of the store.
    private static let defaultKey = "default"
    /// Under which 100ms' prebuilt clients keep the ids of the messages that they hide.
    private static let deletedMessagesKey = "chatMessageBlacklist"

    func setMetadata(
        _ params: SetMetadataParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let key = params.key ?? Self.defaultKey
        let entry = try ruled { () throws(RoomError) in
            try host.room.valueSet(
                key, to: params.data ?? .null, ifVersion: params.ifChangeVersion,
                key == Self.deletedMessagesKey ? .deletedMessages : .anything, by: peer,
                at: host.clock.now(), wall: host.clock.wall())
        }
        return .result(MetadataPayload(entry))
    }

    /// A key that has not been set is `null` in version 0: a client that reads before it writes
    /// should not get an error.
    func getMetadata(_ params: GetMetadataParameters, in host: isolated RoomHost) -> Reply {
        let key = params.key ?? Self.defaultKey
        guard let entry = host.room.store.entry(key) else {
            return .result(MetadataPayload(unset: key))
        }
        return .result(MetadataPayload(entry))
    }

    func listen(
        _ params: ListenMetadataParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in try host.room.valuesListened(params.keys, by: peer) }
        return .empty
    }
}
