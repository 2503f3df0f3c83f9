/// When a room goes on air by itself.
public enum AutoStart: Hashable, Sendable {
    case never
    /// As soon as somebody is in it.
    case roomOpens
    /// When so many peers publish something.
    case publishers(Int)

    /// As many as a room may have.
    private static let publishersMaximum = 2500

    /// - Parameter text: `off`, `room`, or `publishers:2`.
    init?(_ text: String) {
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

    static let form = "off, room, or publishers: and their number, e.g. publishers:2"

    func isMet(by occupancy: RoomOccupancy) -> Bool {
        switch self {
        case .never: false
        case .roomOpens: !occupancy.isEmpty
        case .publishers(let count): occupancy.publishers >= count
        }
    }
}

/// Who is in a room, as far as its streams depend on it. Hidden peers do not count.
public struct RoomOccupancy: Hashable, Sendable {
    public var peers: Int
    /// Peers that publish at least one track, be it muted.
    public var publishers: Int

    public var isEmpty: Bool { peers == 0 }

    public init(peers: Int, publishers: Int) {
        self.peers = peers
        self.publishers = publishers
    }
}

/// Whether a room is to go on air now. Facts in, an answer out.
///
/// ```
///            met: start                not met any more
///  waiting ─────────────► started ────────────────────────► waiting
///     ▲                      │ somebody stopped it
///     │ the room is empty    ▼
///     └───────────────── held back
/// ```
/// So a stream that ended by itself comes back when the room meets the condition anew, and one that
/// somebody stopped does not come back before the room was empty.
struct AutoStarter: Hashable, Sendable {
    /// Returned by `seen`.
    enum Order: Hashable, Sendable {
        case start
    }

    private enum Phase: Hashable {
        case waiting
        case started
        case heldBack
    }

    let condition: AutoStart
    private var phase = Phase.waiting
    /// Whether the last start was refused, so that it is not told each time.
    private(set) var isRefused = false

    init(_ condition: AutoStart) { self.condition = condition }

    /// The room was looked at.
    mutating func seen(_ occupancy: RoomOccupancy) -> Order? {
        guard !occupancy.isEmpty else {
            phase = .waiting
            isRefused = false
            return nil
        }
        switch phase {
        case .waiting:
            guard condition.isMet(by: occupancy) else { return nil }
            phase = .started
            return .start
        case .started:
            if !condition.isMet(by: occupancy) { phase = .waiting }
            return nil
        case .heldBack:
            return nil
        }
    }

    /// Somebody stopped a stream of the room.
    mutating func stopped() { phase = .heldBack }

    /// The stream could not be started; it is tried again when the room is looked at next.
    mutating func refused() {
        guard phase == .started else { return }
        phase = .waiting
        isRefused = true
    }
}
