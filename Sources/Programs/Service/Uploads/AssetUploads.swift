import Catalogue
import Clocks
import Foundation
import Logging
import MediaKernel
import NIOPosix
import ObjectStorage
import ServiceLifecycle
import Webhooks

/// Takes finished assets into a store, for as long as it takes, and tells of them when they are
/// there.
///
/// What is to be done is in the catalogue: every completed asset without a location. How an upload
/// goes is decided by `MultipartUpload`; this actor gives it turns and writes down what it says. An
/// asset's end is written in this sequence: the store has shown length and checksum, the manifest
/// has the location, the catalogue has it, the local file goes. So the server may be killed at any
/// moment, and each step is repeated until it is done.
actor AssetUploads: Service {
    static let tickInterval: Duration = .milliseconds(100)
    /// Files on their way at a time, each with a few parts.
    static let filesMaximum = 2
    /// Assets that are looked at at a time, so that some that fail do not hold up the others.
    static let lookedAtMaximum = 1000
    /// Between two looks for what is new, and for what is to be given up.
    private static let ticksBetweenLooks = 10
    private static let ticksBetweenSweeps = 600
    private static let pageSize = 100

    private let settings: StoreSettings
    private let catalogue: Catalogue
    /// Of recordings.
    private let root: String
    private let notes: ManifestUpdates
    /// What is told of them; nil when nobody wants to be told.
    private let events: StreamEvents?
    private let courier: any ObjectStoreClient
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime

    /// An upload that was begun here.
    private struct Waiting {
        var upload: MultipartUpload
        var dueAt: UnixTime
        var failures = 0
    }

    private var waiting: [String: Waiting] = [:]
    private var running: Set<String> = []
    /// A turn is over, so somebody else may have one.
    private var isTurnFree = false
    private var random: SeededRandom

    init(
        settings: StoreSettings, catalogue: Catalogue, root: String, notes: ManifestUpdates,
        events: StreamEvents?, courier: any ObjectStoreClient, logger: Logger,
        seed: UInt64 = UInt64.random(in: 0...UInt64.max),
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.root = root
        self.notes = notes
        self.events = events
        self.courier = courier
        self.logger = logger
        self.clock = clock
        random = SeededRandom(seed: seed)
    }

    func run() async throws {
        await removeLeftOver()
        await withDiscardingTaskGroup { group in
            var ticks = 0
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                if ticks.isMultiple(of: Self.ticksBetweenSweeps) { await abandon() }
                if ticks.isMultiple(of: Self.ticksBetweenLooks) || isTurnFree {
                    isTurnFree = false
                    for asset in await next() { group.addTask { await self.turn(asset) } }
                    await tell()
                }
                ticks += 1
                try? await Task.sleep(for: Self.tickInterval)
            }
            // A part that was not confirmed is sent once more after the next start.
            group.cancelAll()
        }
    }

    // MARK: Turns

    /// Those that have a turn now.
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
            // A chat may have been made anew meanwhile.
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

    /// Goes on with an asset's upload until it is in the store or has to wait.
    func turn(_ asset: CatalogueAsset) async {
        defer {
            running.remove(asset.id)
            isTurnFree = true
        }
        guard let upload = waiting[asset.id]?.upload else { return }
        guard let local = LocalAsset(asset, root: root) else {
            await failed(asset, "the path of the asset is not usable")
            return
        }
        let location = settings.store.location(of: asset.path)
        let turn = UploadTurn(
            file: UploadFile(path: local.path, location: location, byteCount: asset.byteCount),
            courier: courier, clock: clock
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

    /// The pictures of its recording go behind the first of the assets that share them, so they are
    /// there when the last of its assets is. They are small, and what was not confirmed is sent anew.
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
            // Nobody can bring back one that was lost.
            guard let byteCount, byteCount > 0 else { continue }
            let turn = UploadTurn(
                file: UploadFile(
                    path: local, location: settings.store.location(of: path),
                    byteCount: Int64(byteCount)),
                courier: courier, clock: clock
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
        if isKept { await removeLocal(local) }
    }

    private func removeLocal(_ local: LocalAsset) async {
        guard !settings.keepsLocal else { return }
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

    /// - Parameter dueAt: nil for what is tried again after the longest pause.
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
            // What is not written is sent once more after a restart.
            logger.error("an upload cannot be written down", metadata: ["error": "\(error)"])
        }
    }

    private static func text(_ progress: MultipartUpload.Progress) -> String {
        (try? JSONEncoder().encode(progress)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    // MARK: What was left

    /// Local files of assets that are in the store: a server was killed before it removed them.
    func removeLeftOver() async {
        guard !settings.keepsLocal else { return }
        var query = CatalogueQuery<CatalogueAsset.Status>(
            status: .completed, limit: Self.pageSize)
        do {
            while true {
                let page = try await catalogue.assets(query)
                for asset in page.records where asset.location != nil {
                    if let local = LocalAsset(asset, root: root) { await removeLocal(local) }
                }
                guard let last = page.last else { return }
                query.start = last
            }
        } catch {
            logger.error("stored assets cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    /// Uploads of assets whose time is over before they were in the store.
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
                    // It is away, and would be for the others too.
                    if let failure = error as? StoreFailure, failure.status == nil { return }
                }
            }
            guard found.count == Self.pageSize else { return }
            last = found.last?.upload.asset
        }
    }

    /// Of an asset without a location all the same something may be in the store: an upload, an
    /// object of which the store has not shown that it is whole, and pictures.
    private func removeUnconfirmed(_ asset: CatalogueAsset) async throws(StoreFailure) {
        try await courier.abandonUploads(to: settings.store.location(of: asset.path))
        for path in [asset.path] + (asset.thumbnails?.paths ?? []) {
            try await courier.delete(settings.store.location(of: path))
        }
    }

    /// Lets go what was held for assets that are in the store by now.
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
