import Synchronization

/// A media path that one task hears of and another one waits for.
final class SharedMediaPath: Sendable {
    /// Between two looks at the clock.
    static let interval: Duration = .milliseconds(500)

    let state = Mutex(MediaPath())
}
