/// What those are told of a room who look in before they join. 100ms: `settings.roomState` of a
/// template.
public struct RoomStateSettings: Hashable, Sendable, Codable {
    /// Seconds that `interval` may have, in steps of the least of them.
    static let intervals = 5...3600

    /// Whether anybody is told anything.
    public var isEnabled: Bool
    /// Whether they are told who is there, or only how many.
    public var sendsPeers: Bool
    /// In seconds: changes are told no more often.
    public var interval: Int

    /// 100ms' defaults.
    public init(isEnabled: Bool = false, sendsPeers: Bool = false, interval: Int = 5) {
        self.isEnabled = isEnabled
        self.sendsPeers = sendsPeers
        self.interval = interval
    }

    var hasAllowedInterval: Bool {
        Self.intervals.contains(interval) && interval.isMultiple(of: Self.intervals.lowerBound)
    }

    enum CodingKeys: String, CodingKey {
        case isEnabled = "enabled"
        case sendsPeers = "sendPeerList"
        case interval = "messageInterval"
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        isEnabled = try values.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? isEnabled
        sendsPeers = try values.decodeIfPresent(Bool.self, forKey: .sendsPeers) ?? sendsPeers
        interval = try values.decodeIfPresent(Int.self, forKey: .interval) ?? interval
    }
}

extension Policy {
    /// Whether a visitor of that role is told of the room before it joins.
    public func showsRoom(to role: String) -> Bool {
        guard let roomState else { return true }
        return roomState.isEnabled && self.role(role)?.permissions.sendRoomState == true
    }

    /// Whether visitors are told who is there.
    public var showsPeers: Bool { roomState?.sendsPeers ?? true }
}
