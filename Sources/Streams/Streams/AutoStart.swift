/// The condition on which a room goes on air automatically.
public enum AutoStart: Hashable, Sendable {
    case never
    /// As soon as a peer is in the room.
    case roomOpens
    /// As soon as this many peers are in the room.
    case peers(Int)
    /// As soon as this many peers publish.
    case publishers(Int)

    /// The most peers that a room may have.
    private static let peersMaximum = 2500

    /// - Parameter text: `off`, `room`, `peers:3`, or `publishers:2`.
    public init?(_ text: String) {
        switch text {
        case "off": self = .never
        case "room": self = .roomOpens
        default:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let count = Int(parts[1]),
                (1...Self.peersMaximum).contains(count)
            else { return nil }
            switch parts[0] {
            case "peers": self = .peers(count)
            case "publishers": self = .publishers(count)
            default: return nil
            }
        }
    }

    public static let form =
        "off, room, or peers: or publishers: and their number, e.g. publishers:2"

    public func isMet(by occupancy: RoomOccupancy) -> Bool {
        switch self {
        case .never: false
        case .roomOpens: !occupancy.isEmpty
        case .peers(let count): occupancy.peers >= count
        case .publishers(let count): occupancy.publishers >= count
        }
    }
}
