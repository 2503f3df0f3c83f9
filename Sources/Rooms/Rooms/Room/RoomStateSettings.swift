/// The room data that previews show before joining. 100ms: `settings.roomState` of a template.
public struct RoomStateSettings: Hashable, Sendable, Codable {
    /// The range of `interval` in seconds, in steps of its lower bound.
    static let intervals = 5...3600

    /// Whether previews show anything.
    public var isEnabled: Bool
    /// Whether they show the peers, or only their number.
    public var sendsPeers: Bool
    /// In seconds: the shortest time between two updates.
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
    /// Whether the preview of that role shows the room.
    public func showsRoom(to role: String) -> Bool {
        guard let roomState else { return true }
        return roomState.isEnabled && self.role(role)?.permissions.sendRoomState == true
    }

    /// Whether previews show the peers.
    public var showsPeers: Bool { roomState?.sendsPeers ?? true }
}
