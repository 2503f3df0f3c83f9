import MediaKernel
import PeerConnection

/// Whether the room's media can reach the bot. Without it a bot would write a slate for hours and
/// call it a stream.
struct MediaPath {
    /// How long a connection may take; normally it takes a tenth of a second.
    static let openingMaximum: Duration = .seconds(8)

    enum Change: Hashable {
        /// The path is available for the first time.
        case opened
        /// It may come back.
        case lost
    }

    private enum State {
        case outside
        case opening(since: Instant)
        case open
        case lost(since: Instant)
    }

    private var state = State.outside
    /// How long a connection may be lost.
    private let lossMaximum: Duration

    init(lossMaximum: Duration) { self.lossMaximum = lossMaximum }

    /// The room has accepted the bot and now offers its connection.
    mutating func joined(at now: Instant) {
        if case .outside = state { state = .opening(since: now) }
    }

    mutating func changed(to connection: PeerConnectionState, at now: Instant) -> Change? {
        switch (connection, state) {
        case (.connected, .outside), (.connected, .opening):
            state = .open
            return .opened
        case (.connected, .lost):
            state = .open
            return nil
        case (.disconnected, .open), (.failed, .open):
            state = .lost(since: now)
            return .lost
        default:
            return nil
        }
    }

    /// The reason to stop waiting for the path; nil while it may still come.
    func reasonToGiveUp(at now: Instant) -> String? {
        switch state {
        case .opening(let since) where now - since >= Self.openingMaximum:
            "no media path to the server within \(Self.openingMaximum)"
        case .lost(let since) where now - since >= lossMaximum:
            "no media path to the server for \(lossMaximum)"
        default: nil
        }
    }
}
