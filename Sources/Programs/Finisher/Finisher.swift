public import Catalogue
public import ChildProcesses
import Foundation
import Glibc
public import MediaKernel
public import Recording

/// Makes the assets of one ended stream from its directory alone.
///
/// It may be killed at any moment and started again by any server: existing files are complete or
/// made again, and `manifest.json` is written last. Blocks; meant for a process of its own.
public struct Finisher: Sendable {
    /// How long processes of a server that is gone may still be at work: a bot that ends its
    /// playlists, or a finisher with a recording of several days.
    public static let lockTimeout: Duration = .seconds(3600)
    private static let lockPollInterval: UInt32 = 50_000
    /// Segments may turn out damaged while a plan is carried out, which requires a new one.
    private static let plansMaximum = 3

    private let directory: String
    private let recordings: String
    private let lockTimeout: Duration
    private let freeBytes: @Sendable (String) -> UInt64?
    private let takesLinks: @Sendable (String, String) -> Bool
    private let now: @Sendable () -> UnixTime
    private let report: @Sendable (FinisherReport) -> Void
    private let meter: ProgressMeter

    /// - Parameters:
    ///   - directory: of the stream, absolute.
    ///   - recordings: the root directory of assets, absolute.
    ///   - freeBytes: the free bytes below a directory; nil when unknown.
    ///   - takesLinks: whether a file, the first parameter, can be linked into a directory.
    ///   - now: the wall clock.
    ///   - report: gets progress and warnings, from any thread, but not `.finished` and `.failed`.
    public init(
        directory: String, recordings: String, lockTimeout: Duration = Finisher.lockTimeout,
        freeBytes: @escaping @Sendable (String) -> UInt64? = { FreeSpace.bytes(at: $0) },
        takesLinks: @escaping @Sendable (String, String) -> Bool = {
            HardLinks.areTaken(of: $0, in: $1)
        },
        now: @escaping @Sendable () -> UnixTime,
        report: @escaping @Sendable (FinisherReport) -> Void
    ) {
        self.directory = directory
        self.recordings = recordings
        self.lockTimeout = lockTimeout
        self.freeBytes = freeBytes
        self.takesLinks = takesLinks
        self.now = now
        self.report = report
        meter = ProgressMeter(now: now, report: report)
    }

    /// Ends the playlists and makes the assets that `stream.json` orders.
    ///
    /// - Returns: the assets; empty for a stream that is not recorded, or too short.
    public func run() throws(FinisherError) -> [CatalogueAsset] {
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        do throws(RecordingError) {
            _ = try PlaylistFinisher.finish(in: directory)
        } catch {
            throw .recording(error)
        }
        let path = "\(directory)/\(StreamFile.name)"
        guard let data = FileManager.default.contents(atPath: path),
            let file = try? JSONDocument.decode(StreamFile.self, from: data, limits: .own)
        else { throw .unreadable(path) }
        guard let order = file.order, let relative = file.stream.assetDirectory,
            let place = RecordingPlace(directory: relative, room: file.stream.room)
        else { return [] }
        if let manifest = manifest(at: place) {
            return try renewChat(in: manifest, file.stream, order, place).assets
        }
        do throws(RecordingError) {
            return try make(file.stream, order, place)
        } catch {
            let failure = FinisherError.recording(error)
            // On a full disk, incomplete assets take space from streams on air.
            if failure.isForWantOfRoom { removeAll(place, order) }
            guard case .nothingRecorded = error else { throw failure }
            removeEmpty(place)
            return []
        }
    }

    private func takeLock() throws(FinisherError) -> StreamLock {
        let deadline = now() + lockTimeout
        while true {
            do throws(RecordingError) {
                if let lock = try StreamLock.take(in: directory) { return lock }
            } catch {
                throw .recording(error)
            }
            guard now() < deadline else { throw .inUse(directory) }
            meter.goesOn()
            usleep(Self.lockPollInterval)
        }
    }

    /// The result of an earlier run, if it is complete.
    private func manifest(at place: RecordingPlace) -> RecordingManifest? {
        guard let manifest = RecordingManifest.read("\(recordings)/\(place.directory)"),
            manifest.assets.allSatisfy({ asset in
                asset.status != .completed || asset.location != nil || isThere(asset)
            })
        else { return nil }
        return manifest
    }

    /// A chat may be longer than noted if its finisher was killed before updating the manifest.
    private func isThere(_ asset: CatalogueAsset) -> Bool {
        var status = stat()
        guard stat("\(recordings)/\(asset.path)", &status) == 0 else { return false }
        let byteCount = Int64(status.st_size)
        return byteCount == asset.byteCount
            || asset.kind == .chat && byteCount > asset.byteCount
    }

    /// With a slow disk, parts of the chat may be written after the assets. Only the chat's own
    /// asset is made again.
    private func renewChat(
        in manifest: RecordingManifest, _ stream: CatalogueStream, _ order: RecordingOrder,
        _ place: RecordingPlace
    ) throws(FinisherError) -> RecordingManifest {
        let maker = ChatMaker(
            directory: directory, stream: stream, place: place, recordings: recordings)
        do throws(RecordingError) {
            let renewed = try maker.renewed(
                manifest, at: now(), keptSeconds: order.keptSeconds)
            guard let renewed else { return manifest }
            try write(renewed, to: place)
            return renewed
        } catch {
            throw .recording(error)
        }
    }

    private func make(
        _ stream: CatalogueStream, _ order: RecordingOrder, _ place: RecordingPlace
    ) throws(RecordingError) -> [CatalogueAsset] {
        removeUnfinished(place, order)
        let tracks = try order.tracks.flatMap { (wish) throws(RecordingError) in
            try TrackAssets(in: directory).map { ($0, wish) }
        }
        let picture: [CatalogueAsset]
        do throws(RecordingError) {
            guard order.hasPicture else { throw .nothingRecorded }
            picture = try makePicture(stream, order, place)
        } catch {
            // There may be tracks before the first segment.
            guard case .nothingRecorded = error, tracks != nil else { throw error }
            picture = []
        }
        let made = picture + (try makeTracks(tracks, stream, order, place))
        guard !made.isEmpty else { throw .nothingRecorded }
        try write(RecordingManifest(stream: stream, assets: made), to: place)
        return made
    }

    private func makeTracks(
        _ tracks: (assets: TrackAssets, wish: TrackOrder)?, _ stream: CatalogueStream,
        _ order: RecordingOrder, _ place: RecordingPlace
    ) throws(RecordingError) -> [CatalogueAsset] {
        guard let (assets, wish) = tracks else { return [] }
        // A movie is written twice.
        var copies: UInt64 = wish.perPeer == true ? 3 : 1
        if wish.bundle != nil {
            copies += 2
        } else if wish.zip {
            copies *= 2
        }
        try checkRoom(for: assets.byteCount * copies, place)
        let createdAt = now()
        let expiresAt = order.keptSeconds.map { createdAt + .seconds($0) }
        let files = try TrackMaker(
            assets: assets, directory: directory, stream: stream, order: wish, place: place,
            recordings: recordings,
            createdAt: createdAt, expiresAt: expiresAt, report: report
        ).make(progress: meter.goesOn)
        guard !order.hasPicture, !files.isEmpty else { return files }
        let chat = try ChatMaker(
            directory: directory, stream: stream, place: place, recordings: recordings
        ).make(createdAt: createdAt, expiresAt: expiresAt)
        return files + (chat.map { [$0] } ?? [])
    }

    private func makePicture(
        _ stream: CatalogueStream, _ order: RecordingOrder, _ place: RecordingPlace
    ) throws(RecordingError) -> [CatalogueAsset] {
        let folder = StreamFolder(path: directory)
        let logs = try folder.logs().map(\.records)
        // A segment counts only if all layers have it, so a layer without a log leaves none.
        guard logs.count == order.layers.count else { throw .nothingRecorded }
        let metadata = try TimedMetadataLog.read(in: directory)
        let captions = try CaptionLog.read(in: directory)
        var damaged: [Int: Set<Int>] = [:]
        for attempt in 1... {
            let assets = RecordingAssets(
                folder: folder, plan: try RecordingPlan(layers: logs, damaged: damaged),
                layers: order.keptLayers?.filter(order.layers.indices.contains),
                createdAt: stream.createdAt.seconds, timedMetadata: metadata,
                captions: captions)
            try checkRoom(for: assets.plan, order, place)
            do throws(RecordingError) {
                return try AssetMaker(
                    assets: assets, stream: stream, order: order, place: place,
                    recordings: recordings, createdAt: now(), meter: meter, report: report
                ).make()
            } catch {
                guard case .damaged = error, attempt < Self.plansMaximum else { throw error }
                for (layer, segments) in assets.damagedSegments(progress: meter.goesOn) {
                    damaged[layer, default: []].formUnion(segments)
                    for segment in segments.sorted() {
                        report(.leftOut(layer: layer, segment: segment))
                    }
                }
            }
        }
        throw .nothingRecorded
    }

    /// Checked before the first byte: assets that do not fit would fill a disk that live streams
    /// write to.
    private func checkRoom(
        for plan: RecordingPlan, _ order: RecordingOrder, _ place: RecordingPlace
    ) throws(RecordingError) {
        let folder = "\(recordings)/\(place.directory)"
        try AssetFile.makeDirectory(folder)
        // Each asset is about as large as the segments. Links to them take no space.
        let copies = [
            order.singleFilePerLayer, order.hlsVOD,
            order.hlsVOD && !takesLinks("\(directory)/\(StreamFile.name)", folder),
        ].count { $0 }
        let byteCount = plan.parts.reduce(UInt64(0)) { sum, part in
            part.layers.reduce(sum) { $0 + UInt64($1.byteCount) }
        }
        try checkRoom(for: byteCount * UInt64(copies), place)
    }

    private func checkRoom(
        for byteCount: UInt64, _ place: RecordingPlace
    ) throws(RecordingError) {
        let folder = "\(recordings)/\(place.directory)"
        try AssetFile.makeDirectory(folder)
        guard let free = freeBytes(folder), free < byteCount else { return }
        throw .file(
            path: folder, call: "write", code: ENOSPC,
            reason: String(cString: strerror(ENOSPC)))
    }

    private func write(
        _ manifest: RecordingManifest, to place: RecordingPlace
    ) throws(RecordingError) {
        try AssetFile.write(
            manifest.encoded, to: RecordingManifest.fileName,
            in: "\(recordings)/\(place.directory)")
    }

    /// Removes the unfinished files of a killed run.
    private func removeUnfinished(_ place: RecordingPlace, _ order: RecordingOrder) {
        for directory in place.ownDirectories {
            let path = "\(recordings)/\(directory)"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            for name in names where name.hasPrefix(AssetFile.temporaryPrefix) {
                unlink("\(path)/\(name)")
            }
        }
        // By name, since other recordings may use the same directory.
        for layer in order.layers.indices {
            let name = place.movieName(layer: layer, isSoundAlone: order.isSoundAlone)
            unlink("\(recordings)/\(place.moviesDirectory)/\(AssetFile.temporaryPrefix)\(name)")
        }
    }

    /// Removes everything made so far.
    private func removeAll(_ place: RecordingPlace, _ order: RecordingOrder) {
        for directory in [
            place.vodDirectory, place.thumbnailsDirectory, place.tracksDirectory,
            place.transcriptsDirectory,
        ] {
            try? FileManager.default.removeItem(atPath: "\(recordings)/\(directory)")
        }
        for layer in order.layers.indices {
            let name = place.movieName(layer: layer, isSoundAlone: order.isSoundAlone)
            unlink("\(recordings)/\(place.moviesDirectory)/\(name)")
        }
        unlink("\(recordings)/\(place.chatDirectory)/\(place.chatName)")
    }

    /// The directory was made when the stream began.
    private func removeEmpty(_ place: RecordingPlace) {
        rmdir("\(recordings)/\(place.moviesDirectory)")
        rmdir("\(recordings)/\(place.vodDirectory)")
        rmdir("\(recordings)/\(place.tracksDirectory)")
        rmdir("\(recordings)/\(place.transcriptsDirectory)")
        rmdir("\(recordings)/\(place.directory)")
    }
}
