public import MediaKernel

/// Decides whether a room goes on air now. Facts in, decisions out.
///
/// ```
///            met: start                not met any more
///  waiting ─────────────► started ────────────────────────► waiting
///     ▲                      │ somebody stopped it
///     │ the room is empty    ▼
///     └───────────────── held back
/// ```
/// So a stream that ended by itself restarts when the room meets the condition anew, and a stream
/// that somebody stopped does not restart until the room has been empty.
public struct AutoStarter: Hashable, Sendable {
    private enum Phase: Hashable {
        case waiting
        case started
        case heldBack
    }

    public let condition: AutoStart
    private var phase = Phase.waiting
    /// Whether the last start was refused, so that the refusal is logged only once.
    public private(set) var isRefused = false

    public init(_ condition: AutoStart) { self.condition = condition }

    /// Takes the room's current occupancy.
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

    /// The stream could not be started; the next look at the room tries again.
    public mutating func refused() {
        guard phase == .started else { return }
        phase = .waiting
        isRefused = true
    }

    /// Another stream is in the way, which is no refusal; the next look at the room tries again.
    public mutating func postponed() {
        if phase == .started { phase = .waiting }
    }
}

/// The destinations of a room start independently.
public struct AutoStartKey: Hashable, Sendable {
    public var room: RoomID
    public var kind: LiveStream.Kind
    /// The full name.
    public var destination: String

    public init(room: RoomID, kind: LiveStream.Kind, destination: String) {
        self.room = room
        self.kind = kind
        self.destination = destination
    }
}
