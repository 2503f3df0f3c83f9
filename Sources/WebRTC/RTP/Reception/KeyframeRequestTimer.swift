import MediaKernel

/// Says when to ask for a key frame: at once, then at pauses that double, until one has come.
///
/// A decoder that cannot make anything of the key frames that come is no reason for a flood: what
/// is needed again is asked for one shortest pause after the last request, at the earliest.
struct KeyframeRequestTimer: Sendable {
    static let pauseMinimum: Duration = .milliseconds(200)
    static let pauseMaximum: Duration = .seconds(2)

    /// When the next request is due; nil while none is needed.
    private(set) var due: Instant?
    private var pause = pauseMinimum
    private var lastAsked: Instant?

    /// A key frame is needed, to be asked for now unless that is already under way.
    mutating func needed(at now: Instant) {
        let earliest = lastAsked.map { $0 + Self.pauseMinimum } ?? now
        due = due ?? max(now, earliest)
    }

    /// A key frame seems to be coming: do not ask before this.
    mutating func postpone(until time: Instant) { due = max(due ?? time, time) }

    /// A key frame has come.
    mutating func satisfied() {
        due = nil
        pause = Self.pauseMinimum
    }

    /// Whether to ask now.
    mutating func poll(at now: Instant) -> Bool {
        guard let due, due <= now else { return false }
        lastAsked = now
        self.due = now + pause
        pause = min(pause * 2, Self.pauseMaximum)
        return true
    }
}
