public import MediaKernel

/// Values that a session's peers share, each with a version that increases by one with each change.
public struct SessionStore: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let key: String
        public let data: OpaqueJSON
        /// 1 for the first value.
        public let version: Int
        public let updatedBy: PeerID
        public let updatedAt: UnixTime

        fileprivate var isCleared: Bool { data.text == "null" }

        fileprivate func isOlder(than other: Entry) -> Bool {
            (updatedAt, key) < (other.updatedAt, other.key)
        }
    }

    /// What a value means to the room.
    public enum Rule: Hashable, Sendable {
        /// Nothing: it is the clients' own.
        case anything
        /// A list of the ids of deleted messages. Setting it adds to it: what is deleted stays so,
        /// and two peers that delete at once undo nothing. Whoever may remove others may delete all
        /// messages; other peers only their own.
        case deletedMessages
    }

    private var entries: [String: Entry] = [:]
    private var listeners: [PeerID: Set<String>] = [:]

    public func entry(_ key: String) -> Entry? { entries[key] }

    mutating func set(
        _ key: String, to data: OpaqueJSON, ifVersion expected: Int?, by peer: PeerID,
        wall: UnixTime
    ) throws(RoomError) -> Entry {
        try Self.check(key: key)
        try Check.bytes(data.text, field: "data", maximum: RoomLimits.storeValueBytes)
        let version = entries[key]?.version ?? 0
        if let expected, expected != version {
            throw .versionConflict(key: key, version: version)
        }
        if version == 0, entries.count >= RoomLimits.storeKeys {
            // A client removes a value by setting it to null. Its version is kept as long as possible.
            guard let cleared = entries.values.filter(\.isCleared).min(by: { $0.isOlder(than: $1) })
            else { throw .storeFull(maximum: RoomLimits.storeKeys) }
            entries[cleared.key] = nil
        }
        let entry = Entry(
            key: key, data: data, version: version + 1, updatedBy: peer, updatedAt: wall)
        entries[key] = entry
        return entry
    }

    /// Replaces the keys that a peer listens to. Returns their present values.
    mutating func listen(_ keys: [String], by peer: PeerID) throws(RoomError) -> [Entry] {
        try Check.count(keys.count, field: "keys", maximum: RoomLimits.storeKeys)
        for key in keys { try Self.check(key: key) }
        listeners[peer] = Set(keys)
        return entries(heardBy: peer)
    }

    /// The present values of a peer's keys.
    func entries(heardBy peer: PeerID) -> [Entry] {
        (listeners[peer] ?? []).sorted().compactMap { entries[$0] }
    }

    func listeners(to key: String) -> Set<PeerID> {
        Set(listeners.filter { $0.value.contains(key) }.keys)
    }

    mutating func forget(_ peer: PeerID) { listeners[peer] = nil }

    private static func check(key: String) throws(RoomError) {
        guard !key.isEmpty else { throw .invalidField(field: "key", reason: "is empty") }
        try Check.bytes(key, field: "key", maximum: RoomLimits.wordBytes)
    }
}
