import Catalogue
import Clocks
import Logging
import MediaKernel
import NIOPosix
import ObjectStorage
import ServiceLifecycle

/// Removes the files of expired assets, and nothing else.
///
/// The catalogue marks an asset `expired` before its files are removed, so that assets listed as
/// completed exist. If a server is killed in between, the next one removes the files.
struct AssetRetention: Service {
    /// Assets are kept for days; a minute more does not matter.
    static let interval: Duration = .seconds(60)
    private static let pageSize = 100

    let catalogue: Catalogue
    /// The root of recordings.
    let root: String
    let notes: ManifestUpdates
    /// Removes objects; nil when there is no store.
    var store: (any ObjectStoreClient)?
    var holds = AssetHolds()
    let logger: Logger
    var clock: @Sendable () -> UnixTime = { UnixTime.now }

    func run() async throws {
        await removeLeftOver()
        await repeating(every: Self.interval) {
            await expire()
            await removeStored()
        }
    }

    /// Expires all assets whose time is over, unless their files are still needed here.
    func expire() async {
        guard let held = holds.streams else { return }
        do {
            while true {
                let expired = try await catalogue.expireAssets(
                    at: clock(), except: held, limit: Self.pageSize)
                for asset in expired {
                    logger.info(
                        "asset expired",
                        metadata: ["asset": "\(asset.id)", "room": "\(asset.room)"])
                    await remove(asset)
                }
                guard expired.count == Self.pageSize else { return }
            }
        } catch {
            // The server is stopping.
            guard !Task.isCancelled else { return }
            logger.error("assets cannot be expired", metadata: ["error": "\(error)"])
        }
    }

    /// Removes remaining files of expired assets.
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
            guard !Task.isCancelled else { return }
            logger.error("expired assets cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes expired assets from the store: notes it in the manifest, deletes the objects, and
    /// updates the catalogue. Failures are retried the next time, and do not block other assets.
    func removeStored() async {
        guard let store else { return }
        var last: CatalogueAsset?
        do {
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                let expired = try await catalogue.assetsToRemoveFromStore(
                    after: last, limit: Self.pageSize)
                for asset in expired {
                    do {
                        try await removeStored(asset, store)
                    } catch {
                        logger.warning(
                            "expired asset not removed from the store yet",
                            metadata: ["asset": "\(asset.id)", "reason": "\(error)"])
                        // The store is unreachable, also for the other assets.
                        if let failure = error as? StoreFailure, failure.status == nil { return }
                    }
                }
                guard expired.count == Self.pageSize else { return }
                last = expired.last
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("expired assets cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    private func removeStored(
        _ asset: CatalogueAsset, _ store: any ObjectStoreClient
    ) async throws {
        // Without a manifest, a rebuild of the catalogue cannot restore the asset anyway.
        if let directory = try await catalogue.stream(asset.stream)?.assetDirectory,
            let manifest = RecordingManifest.read("\(root)/\(directory)"),
            manifest.assets.contains(where: { $0.id == asset.id })
        {
            try await notes.note(asset: asset.id, in: directory) { $0.status = .expired }
        }
        if let location = asset.location.flatMap({ ObjectLocation($0) }) {
            for path in asset.thumbnails?.paths ?? [] {
                guard let picture = asset.location(of: path).flatMap({ ObjectLocation($0) })
                else { continue }
                try await store.delete(picture)
            }
            try await store.delete(location)
            logger.info(
                "expired asset removed from the store",
                metadata: ["asset": "\(asset.id)", "location": "\(location)"])
        }
        try await catalogue.removedFromStore(asset: asset.id)
    }

    private func remove(_ asset: CatalogueAsset) async {
        guard let local = LocalAsset(asset, root: root) else { return }
        let logger = logger
        try? await NIOThreadPool.singleton.runIfActive {
            do {
                try local.remove()
            } catch {
                logger.error(
                    "an expired asset cannot be removed",
                    metadata: ["path": "\(local.path)", "error": "\(error)"])
            }
        }
    }
}
