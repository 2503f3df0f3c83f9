import Synchronization

/// A media path that one task updates and another one watches.
final class SharedMediaPath: Sendable {
    /// The time between two checks.
    static let interval: Duration = .milliseconds(500)

    let state: Mutex<MediaPath>

    init(_ path: MediaPath) { state = Mutex(path) }
}
