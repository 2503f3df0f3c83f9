public import MediaKernel

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
public struct AutoStarter: Hashable, Sendable {
    private enum Phase: Hashable {
        case waiting
        case started
        case heldBack
    }

    public let condition: AutoStart
    private var phase = Phase.waiting
    /// Whether the last start was refused, so that it is not told each time.
    public private(set) var isRefused = false

    public init(_ condition: AutoStart) { self.condition = condition }

    /// The room was looked at.
    ///
    /// - Returns: whether to start.
    public mutating func seen(_ occupancy: RoomOccupancy) -> Bool {
        guard !occupancy.isEmpty else {
            phase = .waiting
            isRefused = false
            return false
        }
        switch phase {
        case .waiting:
            guard condition.isMet(by: occupancy) else { return false }
            phase = .started
            return true
        case .started:
            if !condition.isMet(by: occupancy) { phase = .waiting }
            return false
        case .heldBack:
            return false
        }
    }

    /// Somebody stopped a stream of the room.
    public mutating func stopped() { phase = .heldBack }

    /// The stream could not be started; it is tried again when the room is looked at next.
    public mutating func refused() {
        guard phase == .started else { return }
        phase = .waiting
        isRefused = true
    }
}

/// Each destination of a room starts for itself.
public struct AutoStartKey: Hashable, Sendable {
    public var room: RoomID
    public var kind: LiveStream.Kind
    /// By its whole name.
    public var destination: String

    public init(room: RoomID, kind: LiveStream.Kind, destination: String) {
        self.room = room
        self.kind = kind
        self.destination = destination
    }
}
