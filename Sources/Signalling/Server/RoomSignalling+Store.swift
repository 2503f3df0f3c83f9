internal import MediaKernel
internal import Rooms

/// The session's store (`docs/PROTOCOL.md` section 5).
extension RoomSignalling {
    /// The key of clients that name none, as in 100ms' first version of the store.
    private static let defaultKey = "default"

    func setMetadata(
        _ params: SetMetadataParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        let entry = try ruled { () throws(RoomError) in
            try room.valueSet(
                params.key ?? Self.defaultKey, to: params.data ?? .null,
                ifVersion: params.ifChangeVersion,
                by: peer, at: clock.now(), wall: clock.wall())
        }
        return .result(MetadataPayload(entry))
    }

    /// A key that nobody has set is `null` in version 0: a client that looks before it writes
    /// needs no error for that.
    func getMetadata(_ params: GetMetadataParameters) -> Reply {
        let key = params.key ?? Self.defaultKey
        guard let entry = room.store.entry(key) else {
            return .result(MetadataPayload(unset: key))
        }
        return .result(MetadataPayload(entry))
    }

    func listen(
        _ params: ListenMetadataParameters, by peer: PeerID
    ) throws(SignallingError) -> Reply {
        try ruled { () throws(RoomError) in try room.valuesListened(params.keys, by: peer) }
        return .empty
    }
}
