import Catalogue
import Logging
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Watches essential files and directories: without them the server's work is lost, and another
/// server can start beside it. Logs when one of them is no longer the original.
struct StorageWatch: Service {
    private static let interval: Duration = .seconds(2)

    let files: [HeldFile]
    let logger: Logger

    func run() async throws {
        let lost = Mutex<[String: HeldFile.Loss]>([:])
        await repeating(every: Self.interval) {
            // A path on a network may hang.
            guard let found = try? await NIOThreadPool.singleton.runIfActive({ losses() })
            else { return }
            tell(found, after: lost.withLock { $0 })
            lost.withLock { $0 = found }
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
