public import MediaKernel

/// Lets everybody who knows it join a room in one role. A role may have several codes, since it
/// gets a new one after a code is disabled.
public struct RoomCode: Hashable, Sendable {
    /// 100ms' own limit, including disabled codes.
    public static let perRoomMaximum = 100

    public var code: String
    public var room: RoomID
    public var role: String
    public var isEnabled: Bool
    public var createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        code: String, room: RoomID, role: String, isEnabled: Bool = true, createdAt: UnixTime
    ) {
        self.code = code
        self.room = room
        self.role = role
        self.isEnabled = isEnabled
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// A filter and a page of a room's codes. Nil fields match everything.
public struct RoomCodeQuery: Hashable, Sendable {
    public var room: RoomID
    public var role: String?
    public var isEnabled: Bool?
    /// The last code of the previous page.
    public var start: String?
    public var limit: Int

    public init(
        room: RoomID, role: String? = nil, isEnabled: Bool? = nil, start: String? = nil,
        limit: Int = 20
    ) {
        self.room = room
        self.role = role
        self.isEnabled = isEnabled
        self.start = start
        self.limit = PageLimit.clamped(limit)
    }
}
