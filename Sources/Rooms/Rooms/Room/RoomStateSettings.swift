/// The room data that previews show before joining.
public struct RoomStateSettings: Hashable, Sendable {
    /// Whether previews show anything.
    public var isEnabled: Bool
    /// Whether they show the peers, or only their number.
    public var sendsPeers: Bool
    /// In seconds: the shortest time between two updates.
    public var interval: Int

    public init(isEnabled: Bool = false, sendsPeers: Bool = false, interval: Int = 5) {
        self.isEnabled = isEnabled
        self.sendsPeers = sendsPeers
        self.interval = interval
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
