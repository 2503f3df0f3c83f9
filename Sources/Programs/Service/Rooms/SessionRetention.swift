import Catalogue
import Clocks
import Logging
import MediaKernel
import ServiceLifecycle

/// Removes sessions that ended long ago.
struct SessionRetention: Service {
    static let interval: Duration = .seconds(600)
    /// The most sessions per transaction, so that others can use the catalogue in between.
    static let sweptMaximum = 100

    let catalogue: Catalogue
    /// From a session's end; nil for ever.
    let kept: Duration?
    let logger: Logger
    var clock: @Sendable () -> UnixTime = { UnixTime.now }

    func run() async throws {
        guard let kept else { return try await gracefulShutdown() }
        await repeating(every: Self.interval) { await sweep(until: clock() + (.zero - kept)) }
    }

    func sweep(until time: UnixTime) async {
        do throws(CatalogueError) {
            while try await catalogue.removeSessions(endedUntil: time, limit: Self.sweptMaximum)
                == Self.sweptMaximum
            {}
        } catch {
            logger.warning("old sessions cannot be removed", metadata: ["error": "\(error)"])
        }
    }
}
