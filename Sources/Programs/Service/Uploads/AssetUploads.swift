import Catalogue
import Clocks
import Foundation
import Logging
import MediaKernel
import NIOPosix
import ObjectStorage
import ServiceLifecycle
import Webhooks

/// Uploads finished assets to a store, however long it takes, and releases their events when they
/// are stored.
///
/// The catalogue has the work list: every completed asset without a location. `MultipartUpload`
/// decides the course of an upload; this actor gives it turns and saves its progress. An upload
/// ends in this sequence: the store has confirmed length and checksum, the manifest has the
/// location, the catalogue has the location, the local file is removed. So the server may be killed
/// at any moment, and each step is repeated until it is done.
actor AssetUploads: Service {
    /// Concurrent uploads, each with a few parts in flight.
    static let filesMaximum = 2
    /// The most assets to consider at a time, so that some failing ones do not block the others.
    static let lookedAtMaximum = 1000
    /// The shortest interval of looks for new uploads: each upload that ends changes the catalogue,
    /// too.
    private static let lookInterval: Duration = .milliseconds(100)
    /// The longest one, after which a failed look is repeated.
    private static let lookIntervalMaximum: Duration = .seconds(10)
    /// The interval of looking for uploads to abort.
    private static let sweepInterval: Duration = .seconds(60)
    private static let pageSize = 100

    private let settings: StoreSettings
    private let catalogue: Catalogue
    /// The root of recordings.
    private let root: String
    private let notes: ManifestUpdates
    /// The events for stored assets; nil without a receiver.
    private let events: StreamEvents?
    private let client: any ObjectStoreClient
    private let holds: AssetHolds
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime

    /// An upload that this process has begun.
    private struct Waiting {
        var upload: MultipartUpload
        var dueAt: UnixTime
        var failures = 0
    }

    private var waiting: [String: Waiting] = [:]
    /// Stored ones whose files are still needed here.
    private var held: [String: CatalogueAsset] = [:]
    private var hasLookedForLeftOver = false
    private var running: Set<String> = []
    private let alarm = Alarm()
    private var random: SeededRandom

    init(
        settings: StoreSettings, catalogue: Catalogue, root: String, notes: ManifestUpdates,
        events: StreamEvents?, client: any ObjectStoreClient, holds: AssetHolds = AssetHolds(),
        logger: Logger, seed: UInt64 = UInt64.random(in: 0...UInt64.max),
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.root = root
        self.notes = notes
        self.events = events
        self.client = client
        self.holds = holds
        self.logger = logger
        self.clock = clock
        random = SeededRandom(seed: seed)
    }

    func run() async throws {
        let watch = catalogue.watch(.assets) { self.alarm.ring() }
        await withGracefulShutdownHandler {
            await upload()
        } onGracefulShutdown: {
            self.alarm.ring()
        }
        withExtendedLifetime(watch) {}
    }

    private func upload() async {
        await withDiscardingTaskGroup { group in
            var sweepsAt = MonotonicClock.now
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                if MonotonicClock.now >= sweepsAt {
                    await abandon()
                    sweepsAt = MonotonicClock.now + Self.sweepInterval
                }
                await removeReleased()
                for asset in await next() { group.addTask { await self.turn(asset) } }
                await tell()
                try? await Task.sleep(for: Self.lookInterval)
                await alarm.wait(atMost: pause)
            }
            // An unconfirmed part is sent again after the next start.
            group.cancelAll()
        }
    }

    /// Until an upload that waits for its store is due.
    private var pause: Duration {
        // The end of a turn rings.
        guard running.count < Self.filesMaximum else { return Self.lookIntervalMaximum }
        let dueAt = waiting.filter { !running.contains($0.key) }.map(\.value.dueAt).min()
        let pause = dueAt.map { $0 - clock() } ?? Self.lookIntervalMaximum
        return max(.zero, min(pause, Self.lookIntervalMaximum))
    }

    // MARK: Turns

    /// Picks the assets that get a turn now.
    func next() async -> [CatalogueAsset] {
        let found: [(asset: CatalogueAsset, upload: CatalogueUpload?)]
        do {
            found = try await catalogue.assetsToUpload(limit: Self.lookedAtMaximum)
        } catch {
            logger.error("uploads cannot be listed", metadata: ["error": "\(error)"])
            return []
        }
        let known = Set(found.map(\.asset.id))
        waiting = waiting.filter { known.contains($0.key) || running.contains($0.key) }
        let now = clock()
        var chosen: [CatalogueAsset] = []
        for (asset, row) in found where !running.contains(asset.id) {
            guard running.count < Self.filesMaximum else { break }
            if let known = waiting[asset.id], known.dueAt > now { continue }
            // A chat file may have been rewritten meanwhile.
            if waiting[asset.id]?.upload.byteCount != asset.byteCount {
                waiting[asset.id] = Waiting(upload: upload(of: asset, row), dueAt: now)
            }
            running.insert(asset.id)
            chosen.append(asset)
        }
        return chosen
    }

    private func upload(of asset: CatalogueAsset, _ row: CatalogueUpload?) -> MultipartUpload {
        let progress = row.flatMap {
            try? JSONDocument.decode(
                MultipartUpload.Progress.self, from: Data($0.progress.utf8), limits: .own)
        }
        return MultipartUpload(
            byteCount: asset.byteCount, partBytes: settings.partBytes,
            progress: progress ?? MultipartUpload.Progress(),
            delayMaximum: settings.delayMaximum, seed: random.next())
    }

    /// Continues an asset's upload until it is in the store or has to wait.
    func turn(_ asset: CatalogueAsset) async {
        defer {
            running.remove(asset.id)
            // Another asset may have a turn.
            alarm.ring()
        }
        guard let upload = waiting[asset.id]?.upload else { return }
        guard let local = LocalAsset(asset, root: root) else {
            await failed(asset, "the path of the asset is not usable")
            return
        }
        let location = settings.store.location(of: asset.path)
        let turn = UploadTurn(
            file: UploadFile(path: local.path, location: location, byteCount: asset.byteCount),
            client: client, clock: clock
        ) { progress, bytesSent in
            await self.save(progress, bytesSent, of: asset.id)
        }
        let (after, outcome) = await turn.run(upload)
        waiting[asset.id]?.upload = after
        switch outcome == .finished ? await storePictures(of: asset) : outcome {
        case .cancelled: return
        case .waits(let due, let reason): await failed(asset, reason, dueAt: due)
        case .finished:
            do {
                try await finish(asset, local, at: location)
                waiting[asset.id] = nil
            } catch {
                await failed(asset, "\(error)")
            }
        }
    }

    /// Uploads the recording's thumbnails after the first asset that shares them, so they are
    /// stored before the recording's last asset. They are small, so an unconfirmed upload simply
    /// starts again.
    private func storePictures(of asset: CatalogueAsset) async -> UploadTurn.Outcome {
        do {
            let all = try await catalogue.assets(of: [asset.stream])[asset.stream] ?? []
            guard all.filter({ $0.thumbnails != nil }).map(\.id).min() == asset.id else {
                return .finished
            }
        } catch {
            return .waits(until: clock() + settings.delayMaximum, reason: "\(error)")
        }
        for path in asset.thumbnails?.paths ?? [] where LocalAsset.isUsable(path) {
            let local = "\(root)/\(path)"
            let byteCount = try? await NIOThreadPool.singleton.runIfActive {
                try FileManager.default.attributesOfItem(atPath: local)[.size] as? Int
            }
            // A lost thumbnail cannot be restored.
            guard let byteCount, byteCount > 0 else { continue }
            let turn = UploadTurn(
                file: UploadFile(
                    path: local, location: settings.store.location(of: path),
                    byteCount: Int64(byteCount)),
                client: client, clock: clock
            ) { _, _ in }
            let (_, outcome) = await turn.run(
                MultipartUpload(
                    byteCount: Int64(byteCount), partBytes: settings.partBytes,
                    delayMaximum: settings.delayMaximum, seed: random.next()))
            guard outcome == .finished else { return outcome }
        }
        return .finished
    }

    private func finish(
        _ asset: CatalogueAsset, _ local: LocalAsset, at location: ObjectLocation
    ) async throws {
        let text = location.description
        guard let directory = try await catalogue.stream(asset.stream)?.assetDirectory else {
            throw ManifestUpdates.Failure.unknown(asset: asset.id, directory: root)
        }
        try await notes.note(asset: asset.id, in: directory) { $0.location = text }
        let isKept = try await catalogue.stored(asset: asset.id, at: text)
        logger.info(
            "asset stored",
            metadata: [
                "asset": "\(asset.id)", "room": "\(asset.room)", "location": "\(text)",
                "bytes": "\(asset.byteCount)",
            ])
        if isKept { await removeLocal(local, of: asset) }
    }

    private func removeLocal(_ local: LocalAsset, of asset: CatalogueAsset) async {
        guard !settings.keepsLocal else { return }
        guard !holds.isHeld(asset.stream) else {
            // Until it is known what is held, the first look is still to come, and finds it.
            if holds.isSettled { held[asset.id] = asset }
            return
        }
        let logger = logger
        try? await NIOThreadPool.singleton.runIfActive {
            do {
                try local.removeStored()
            } catch {
                logger.error(
                    "a stored asset cannot be removed here",
                    metadata: ["path": "\(local.path)", "error": "\(error)"])
            }
        }
    }

    private func save(
        _ progress: MultipartUpload.Progress, _ bytesSent: Int64, of asset: String
    ) async {
        waiting[asset]?.failures = 0
        await write(
            CatalogueUpload(
                asset: asset, progress: Self.text(progress), bytesSent: bytesSent))
    }

    /// - Parameter dueAt: nil to retry after the longest pause.
    private func failed(
        _ asset: CatalogueAsset, _ reason: String, dueAt: UnixTime? = nil
    ) async {
        guard var known = waiting[asset.id] else { return }
        known.failures += 1
        known.dueAt = dueAt ?? clock() + settings.delayMaximum
        waiting[asset.id] = known
        logger.warning(
            "asset not stored yet",
            metadata: [
                "asset": "\(asset.id)", "room": "\(asset.room)", "reason": "\(reason)",
                "failures": "\(known.failures)",
            ])
        await write(
            CatalogueUpload(
                asset: asset.id, progress: Self.text(known.upload.progress),
                bytesSent: known.upload.bytesSent, failures: known.failures, reason: reason))
    }

    private func write(_ upload: CatalogueUpload) async {
        do {
            try await catalogue.save(upload)
        } catch {
            // Unsaved progress only causes repeated uploads after a restart.
            logger.error("an upload cannot be written down", metadata: ["error": "\(error)"])
        }
    }

    private static func text(_ progress: MultipartUpload.Progress) -> String {
        (try? JSONEncoder().encode(progress)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    // MARK: What was left

    /// Removes local files of stored assets that nobody needs here any more.
    func removeReleased() async {
        guard holds.isSettled else { return }
        if !hasLookedForLeftOver {
            hasLookedForLeftOver = true
            await removeLeftOver()
        }
        for (id, asset) in held where !holds.isHeld(asset.stream) {
            held[id] = nil
            if let local = LocalAsset(asset, root: root) { await removeLocal(local, of: asset) }
        }
    }

    /// Removes local files of stored assets, left by a server that was killed before it removed
    /// them.
    func removeLeftOver() async {
        guard !settings.keepsLocal else { return }
        var query = CatalogueQuery<CatalogueAsset.Status>(
            status: .completed, limit: Self.pageSize)
        do {
            while true {
                let page = try await catalogue.assets(query)
                for asset in page.records where asset.location != nil {
                    if let local = LocalAsset(asset, root: root) {
                        await removeLocal(local, of: asset)
                    }
                }
                guard let last = page.last else { return }
                query.start = last
            }
        } catch {
            logger.error("stored assets cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    /// Aborts uploads of assets that expired before they were stored.
    func abandon() async {
        var last: String?
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            let found =
                (try? await catalogue.abandonedUploads(after: last, limit: Self.pageSize)) ?? []
            for (upload, asset) in found where !running.contains(upload.asset) {
                do {
                    if let asset { try await removeUnconfirmed(asset) }
                    try await catalogue.removeUpload(of: upload.asset)
                    logger.info("upload abandoned", metadata: ["asset": "\(upload.asset)"])
                } catch {
                    logger.warning(
                        "upload not abandoned yet",
                        metadata: ["asset": "\(upload.asset)", "reason": "\(error)"])
                    // The store is unreachable, also for the other uploads.
                    if let failure = error as? StoreFailure, failure.status == nil { return }
                }
            }
            guard found.count == Self.pageSize else { return }
            last = found.last?.upload.asset
        }
    }

    /// Removes what an asset without a location may have left in the store: an upload, an
    /// unconfirmed object, and thumbnails.
    private func removeUnconfirmed(_ asset: CatalogueAsset) async throws(StoreFailure) {
        try await client.abandonUploads(to: settings.store.location(of: asset.path))
        for path in [asset.path] + (asset.thumbnails?.paths ?? []) {
            try await client.delete(settings.store.location(of: path))
        }
    }

    /// Releases events that were held for assets that are stored by now.
    func tell() async {
        do {
            for held in try await catalogue.releasableDeliveries() {
                let now = clock()
                var body: [UInt8]?
                if let events, let stream = held.stream,
                    let kind = WebhookEvent.Kind(rawValue: held.kind)
                {
                    guard held.assets.contains(where: { $0.status == .completed }) else {
                        logger.warning(
                            "assets have expired before they were stored, and are not told of",
                            metadata: ["event": "\(held.id)", "room": "\(stream.room)"])
                        try await catalogue.removeHeldDelivery(held.id)
                        continue
                    }
                    body = events.recorded(stream, as: kind, assets: held.assets, at: now)
                }
                try await catalogue.release(delivery: held.id, body: body, at: now)
            }
        } catch {
            logger.error("held events cannot be let go", metadata: ["error": "\(error)"])
        }
    }
}
