/// The condition on which a room goes on air automatically.
public enum AutoStart: Hashable, Sendable {
    case never
    /// As soon as a peer is in the room.
    case roomOpens
    /// As soon as this many peers publish.
    case publishers(Int)

    /// The most peers that a room may have.
    private static let publishersMaximum = 2500

    /// - Parameter text: `off`, `room`, or `publishers:2`.
    public init?(_ text: String) {
        switch text {
        case "off": self = .never
        case "room": self = .roomOpens
        default:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "publishers", let count = Int(parts[1]),
                (1...Self.publishersMaximum).contains(count)
            else { return nil }
            self = .publishers(count)
        }
    }

    public static let form = "off, room, or publishers: and their number, e.g. publishers:2"

    public func isMet(by occupancy: RoomOccupancy) -> Bool {
        switch self {
        case .never: false
        case .roomOpens: !occupancy.isEmpty
        case .publishers(let count): occupancy.publishers >= count
        }
    }
}
