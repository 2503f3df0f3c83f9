import Catalogue
import ControlAPI
import Foundation
import Logging
import MediaKernel
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Removes the files of assets whose time is over, and nothing else.
///
/// An asset is `expired` in the catalogue before its files go, so that what is listed as completed
/// is there. A server that is killed in between leaves files behind, which the next one removes.
struct AssetRetention: Service {
    /// Assets are kept for days; a minute more does not matter.
    static let interval: Duration = .seconds(60)
    private static let tickInterval: Duration = .milliseconds(200)
    private static let pageSize = 100

    let catalogue: Catalogue
    /// The root of recordings.
    let root: String
    let logger: Logger
    var clock: @Sendable () -> UnixTime = { UnixTime(Timestamp.now()) }

    func run() async throws {
        let isStopping = Stop()
        await withGracefulShutdownHandler {
            await removeLeftOver()
            var ticks = 0
            while !isStopping.isWanted, !Task.isCancelled {
                if ticks.isMultiple(of: Int(Self.interval / Self.tickInterval)) { await expire() }
                ticks += 1
                try? await Task.sleep(for: Self.tickInterval)
            }
        } onGracefulShutdown: {
            isStopping.want()
        }
    }

    /// Whatever is over now.
    func expire() async {
        do {
            while true {
                let expired = try await catalogue.expireAssets(
                    at: clock(), limit: Self.pageSize)
                for asset in expired {
                    logger.info(
                        "asset expired",
                        metadata: ["asset": "\(asset.id)", "room": "\(asset.room)"])
                    await remove(asset)
                }
                guard expired.count == Self.pageSize else { return }
            }
        } catch {
            logger.error("assets cannot be expired", metadata: ["error": "\(error)"])
        }
    }

    /// What was expired and is still there.
    func removeLeftOver() async {
        var query = CatalogueQuery<CatalogueAsset.Status>(
            status: .expired, limit: Self.pageSize)
        do {
            while true {
                let page = try await catalogue.assets(query)
                for asset in page.records { await remove(asset) }
                guard let last = page.last else { return }
                query.start = last
            }
        } catch {
            logger.error("expired assets cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    private func remove(_ asset: CatalogueAsset) async {
        let parts = asset.path.split(separator: "/", omittingEmptySubsequences: false)
        // Paths come from files that may have been edited.
        guard parts.count > 1, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
        else { return }
        // A VOD's directory holds it, zipped and unzipped, and nothing else.
        let target = asset.kind == .roomVOD ? parts.dropLast() : parts[...]
        let path = "\(root)/\(target.joined(separator: "/"))"
        let logger = logger
        try? await NIOThreadPool.singleton.runIfActive {
            guard FileManager.default.fileExists(atPath: path) else { return }
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                logger.error(
                    "an expired asset cannot be removed",
                    metadata: ["path": "\(path)", "error": "\(error)"])
            }
        }
    }
}

/// Whether a service is to end.
private final class Stop: Sendable {
    private let flag = Mutex(false)

    func want() { flag.withLock { $0 = true } }
    var isWanted: Bool { flag.withLock { $0 } }
}
