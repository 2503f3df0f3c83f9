import MediaKernel
import PeerConnection

/// Whether the room's media can reach the bot. One that stays without would write a slate for hours
/// and call it a stream.
struct MediaPath {
    /// How long a connection may take; it takes a tenth of a second as a rule.
    static let openingMaximum: Duration = .seconds(8)
    /// How long one may be lost: the server tries to restore it after 5 and 15 s.
    static let lossMaximum: Duration = .seconds(30)

    enum Verdict: Hashable {
        /// The path is there for the first time.
        case open
        /// It is lost, and may come back.
        case lost
        case given(up: String)
    }

    private enum State {
        case outside
        case opening(since: Instant)
        case open
        case lost(since: Instant)
    }

    private var state = State.outside

    /// The room has taken us in: it offers its connection now.
    mutating func joined(at now: Instant) {
        if case .outside = state { state = .opening(since: now) }
    }

    mutating func changed(to connection: PeerConnectionState, at now: Instant) -> Verdict? {
        switch (connection, state) {
        case (.connected, .outside), (.connected, .opening):
            state = .open
            return .open
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

    func timePassed(at now: Instant) -> Verdict? {
        switch state {
        case .opening(let since) where now - since >= Self.openingMaximum:
            .given(up: "no media path to the server within \(Self.openingMaximum)")
        case .lost(let since) where now - since >= Self.lossMaximum:
            .given(up: "no media path to the server for \(Self.lossMaximum)")
        default: nil
        }
    }
}
