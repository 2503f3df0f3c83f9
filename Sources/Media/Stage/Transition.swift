public import MediaKernel

/// A gradual change, gentle at both ends.
public struct Transition: Hashable, Sendable {
    private let began: Instant
    private let duration: Duration

    public init(at began: Instant, lasting duration: Duration) {
        self.began = began
        self.duration = duration
    }

    public func isOver(at now: Instant) -> Bool { now - began >= duration }

    /// Its progress: 0 at the beginning, 1 at the end.
    public func share(at now: Instant) -> Double { Self.eased(progress(at: now)) }

    /// The same for changes that happen in the second half only.
    public func lateShare(at now: Instant) -> Double {
        Self.eased(max(0, 2 * progress(at: now) - 1))
    }

    private func progress(at now: Instant) -> Double {
        isOver(at: now) ? 1 : max(0, (now - began).inSeconds / duration.inSeconds)
    }

    private static func eased(_ progress: Double) -> Double {
        progress * progress * (3 - 2 * progress)
    }
}
