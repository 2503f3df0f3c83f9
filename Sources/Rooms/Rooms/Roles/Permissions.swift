/// The rights of a role over the room and over other peers.
public struct Permissions: Hashable, Sendable {
    public var endRoom = false
    public var removeOthers = false
    public var mute = false
    public var unmute = false
    public var changeRole = false
    public var hlsStreaming = false
    public var rtmpStreaming = false
    public var browserRecording = false
    public var sendRoomState = false
    public var pollRead = false
    public var pollWrite = false
    /// May send messages. Every role may unless a policy forbids it.
    public var broadcast = true

    public init() {}

    /// All rights; a host's.
    public static var all: Permissions {
        var permissions = Permissions()
        permissions.endRoom = true
        permissions.removeOthers = true
        permissions.mute = true
        permissions.unmute = true
        permissions.changeRole = true
        permissions.hlsStreaming = true
        permissions.rtmpStreaming = true
        permissions.browserRecording = true
        permissions.sendRoomState = true
        permissions.pollRead = true
        permissions.pollWrite = true
        return permissions
    }
}

/// The rights that a request of a peer is checked against.
public enum Permission: String, Hashable, Sendable {
    case endRoom, removeOthers, mute, unmute, changeRole, hlsStreaming, rtmpStreaming
    case browserRecording, pollRead, pollWrite, broadcast

    func isGranted(by permissions: Permissions) -> Bool {
        switch self {
        case .endRoom: permissions.endRoom
        case .removeOthers: permissions.removeOthers
        case .mute: permissions.mute
        case .unmute: permissions.unmute
        case .changeRole: permissions.changeRole
        case .hlsStreaming: permissions.hlsStreaming
        case .rtmpStreaming: permissions.rtmpStreaming
        case .browserRecording: permissions.browserRecording
        case .pollRead: permissions.pollRead
        case .pollWrite: permissions.pollWrite
        case .broadcast: permissions.broadcast
        }
    }
}
