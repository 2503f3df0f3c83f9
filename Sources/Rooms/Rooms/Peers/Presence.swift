import MediaKernel

/// Whether a peer is in the room, as far as its socket and its media show.
struct Presence: Hashable, Sendable {
    /// ```
    /// joinRequested ─► admitted ─ joinCompleted ─► present ─ connectionLost ─► lost
    ///                     │                        │   ▲                        │    │
    ///      joinAbandoned, │                   left │   └── connectionReturned ──┘    │ left,
    ///      connectionLost ▼                        ▼                               ▼ handleTimeout
    ///                    gone                     gone                            gone
    /// ```
    enum Phase: Hashable, Sendable {
        /// Has a place; others do not know about it while its media is being set up.
        case admitted
        case present
        /// Its socket was lost. It keeps its place and its tracks until the instant.
        case lost(since: Instant, until: Instant)
    }

    /// From where on a peer may have missed events.
    struct Unheard: Hashable, Sendable {
        /// The start of the missed time; never after the loss of its socket.
        var since: Instant
        /// The number of the first missed event in the room's ``RecentEvents``. Taken when the
        /// socket was lost: by the instant alone, events of that very instant would count as heard.
        var firstEvent: Int
    }

    /// The state of the connection by which the peer sends media.
    enum Media: Hashable, Sendable {
        /// It has not connected yet.
        case awaited
        case works
        /// It has failed to connect, …
        case absent(since: Instant)
        /// … or has stopped working.
        case broken(since: Instant)
    }

    var phase: Phase = .admitted
    /// What the peer may have missed, as of the last loss of its socket.
    var unheard: Unheard?
    var media: Media = .awaited
    /// Both its socket and its media are lost: for others it is gone until it is back.
    var isGhost = false

    /// When a lost peer loses its place.
    var expiry: Instant? {
        switch phase {
        case .lost(_, let until): until
        case .admitted, .present: nil
        }
    }

    /// When others are told that the peer is gone, once both its socket and its media are lost.
    ///
    /// - Parameter shown: how long a peer without a socket is shown at least.
    func disappearance(shown: Duration) -> Instant? {
        guard case .lost(let since, _) = phase else { return nil }
        switch media {
        case .awaited, .works: return nil
        case .absent(let silence), .broken(let silence): return max(since + shown, silence)
        }
    }

    /// The peer has lost its socket.
    ///
    /// - Parameter heardUntil: the peer has missed all later events; nil for the value from its last
    ///   return.
    mutating func socketLost(
        at now: Instant, keepsPlace absence: Duration, heardUntil: Instant?, _ events: RecentEvents
    ) {
        phase = .lost(since: now, until: now + absence)
        if let heardUntil {
            unheard = Unheard(
                since: min(heardUntil, now), firstEvent: events.first(after: heardUntil))
        } else if unheard == nil {
            unheard = Unheard(since: now, firstEvent: events.end)
        }
    }

    mutating func mediaLost(at now: Instant) {
        switch media {
        case .awaited: media = .absent(since: now)
        case .works: media = .broken(since: now)
        case .absent, .broken: break
        }
    }
}
