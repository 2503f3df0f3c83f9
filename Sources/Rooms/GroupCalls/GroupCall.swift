public import MediaKernel

public enum CallState: String, Hashable, Sendable, CaseIterable {
    case open, deleted
}

/// A room for one call: created, entered, and deleted for good.
///
/// ```
///  created ─► open ─ delete ─► deleted
/// ```
/// A deleted call can be looked up. Nobody enters it, and nothing of it changes.
public struct GroupCall: Hashable, Sendable {
    /// The same as that of its room.
    public let id: RoomID
    public let type: CallType
    /// The user on whose behalf it was created; empty for none.
    public let creator: String
    /// The address of the picture of participants without one of their own; nil for none.
    public let defaultImage: String?
    public let createdAt: UnixTime
    public private(set) var items: CustomItems
    /// Nil while it is open.
    public private(set) var end: End?

    public struct End: Hashable, Sendable {
        public var at: UnixTime
        /// The user; nil for a server.
        public var by: String?

        public init(at: UnixTime, by: String?) {
            self.at = at
            self.by = by
        }
    }

    public init(
        id: RoomID, type: CallType, items: CustomItems = CustomItems(), creator: String = "",
        defaultImage: String? = nil, createdAt: UnixTime, end: End? = nil
    ) {
        self.id = id
        self.type = type
        self.items = items
        self.creator = creator
        self.defaultImage = defaultImage
        self.createdAt = createdAt
        self.end = end
    }

    /// Whether clients and bots can fetch an image from there.
    public static func check(image: String) throws(CallError) {
        guard image.utf8.count <= CallLimits.addressBytes, WebAddress(image) != nil else {
            throw .invalidField(
                "default_image",
                reason: "is an http or https address of at most \(CallLimits.addressBytes) bytes")
        }
    }

    public var state: CallState { end == nil ? .open : .deleted }

    public func checkOpen() throws(CallError) {
        guard end == nil else { throw .deleted(id) }
    }

    /// - Parameter user: nil for a server.
    public mutating func setItems(
        _ new: [String: String], by user: String?
    ) throws(CallError) -> ItemsChange {
        try checkOpen()
        let keys = try items.set(new)
        return ItemsChange(.updated, keys: keys, items: items, by: user)
    }

    /// - Parameter keys: nil for all.
    public mutating func removeItems(
        _ keys: [String]?, by user: String?
    ) throws(CallError) -> ItemsChange {
        try checkOpen()
        let gone = try items.remove(keys)
        return ItemsChange(.deleted, keys: gone, items: items, by: user)
    }

    /// Deletes the call. Only the first deletion is one.
    ///
    /// - Parameter user: nil for a server.
    public mutating func delete(by user: String?, at now: UnixTime) throws(CallError) {
        try checkOpen()
        end = End(at: now, by: user)
    }
}
