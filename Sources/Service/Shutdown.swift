import Synchronization

/// Whether a service is to end. The handler of a graceful shutdown can wait for nobody, so it says
/// so here and the service looks.
final class Shutdown: Sendable {
    private let wish = Mutex(false)

    func want() { wish.withLock { $0 = true } }

    var isWanted: Bool { wish.withLock { $0 } }
}
