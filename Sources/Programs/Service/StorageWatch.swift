import Catalogue
import Logging
import NIOPosix
import ServiceLifecycle

/// Watches essential files and directories: without them the server's work is lost, and another
/// server can start beside it. Logs when one of them is no longer the original.
struct StorageWatch: Service {
    private static let interval: Duration = .seconds(2)
    private static let tickInterval: Duration = .milliseconds(200)

    let files: [HeldFile]
    let logger: Logger

    func run() async throws {
        var lost: [String: HeldFile.Loss] = [:]
        var ticks = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            // A path on a network may hang.
            if ticks.isMultiple(of: Int(Self.interval / Self.tickInterval)),
                let found = try? await NIOThreadPool.singleton.runIfActive({ losses() })
            {
                tell(found, after: lost)
                lost = found
            }
            ticks += 1
            try? await Task.sleep(for: Self.tickInterval)
        }
    }

    func losses() -> [String: HeldFile.Loss] {
        var losses: [String: HeldFile.Loss] = [:]
        for file in files { losses[file.path] = file.loss }
        return losses
    }

    /// Logs changes.
    func tell(_ losses: [String: HeldFile.Loss], after before: [String: HeldFile.Loss]) {
        for (path, loss) in losses.sorted(by: { $0.key < $1.key }) where before[path] != loss {
            logger.error(
                "a file of the server is gone, so nothing new is begun; put it back, or restart",
                metadata: ["path": "\(path)", "found": "\(loss)"])
        }
        for path in before.keys.sorted() where losses[path] == nil {
            logger.notice("a file of the server is back", metadata: ["path": "\(path)"])
        }
    }
}
