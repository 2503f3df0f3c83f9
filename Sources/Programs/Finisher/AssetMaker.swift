import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import Recording
import Streams
import Synchronization

/// Carries out one plan: the movies on one thread and the archive on another, so that each byte is
/// read and written at most twice and two cores are used. Thumbnails have a third thread.
struct AssetMaker: Sendable {
    let assets: RecordingAssets
    let stream: CatalogueStream
    let order: RecordingOrder
    let place: RecordingPlace
    let recordings: String
    let createdAt: UnixTime
    let meter: ProgressMeter
    let report: @Sendable (FinisherReport) -> Void

    /// - Returns: the assets, all of them on disk.
    /// - Throws: the error of the movies, or else of the archive.
    func make() throws(RecordingError) -> [CatalogueAsset] {
        meter.begin(jobs: (order.singleFilePerLayer ? 1 : 0) + (order.hlsVOD ? 1 : 0))
        let archive =
            order.hlsVOD
            ? BlockingTask { () throws(RecordingError) in
                try makeArchive()
            } : nil
        let wish = order.isSoundAlone ? nil : order.thumbnails
        let pictures = wish.map { wish in
            BlockingTask { () throws(any Error) in
                try ThumbnailMaker(
                    assets: assets, sizes: order.layers, order: wish, place: place,
                    recordings: recordings, meter: meter
                ).make()
            }
        }
        // Waits for all, even when one fails: none may go on writing afterwards.
        let movies = Result { () throws(RecordingError) in
            order.singleFilePerLayer ? try makeMovies() : []
        }
        let made = archive.map { $0.wait() }
        let thumbnails = pictures.map { $0.wait() }
        var all = try movies.get() + (try made?.get() ?? [])
        switch thumbnails {
        case .success(let thumbnails)?:
            for index in all.indices where all[index].size != nil {
                all[index].thumbnails = thumbnails
            }
        // Any error only costs the thumbnails.
        case .failure(let error)?:
            try? FileManager.default.removeItem(
                atPath: "\(recordings)/\(place.thumbnailsDirectory)")
            report(.withoutThumbnails(reason: "\(error)"))
        case nil: break
        }
        all += try TranscriptMaker(
            assets: assets, stream: stream, place: place, recordings: recordings,
            createdAt: createdAt, expiresAt: expiresAt
        ).make()
        let chat = try ChatMaker(
            directory: assets.folder.path, stream: stream, place: place, recordings: recordings
        ).make(createdAt: createdAt, expiresAt: expiresAt)
        return all + (chat.map { [$0] } ?? [])
    }

    private var expiresAt: UnixTime? { order.keptSeconds.map { createdAt + .seconds($0) } }

    private func makeMovies() throws(RecordingError) -> [CatalogueAsset] {
        let isSoundAlone = order.isSoundAlone
        let wishes = assets.layers.map { layer in
            let size = order.layers[layer]
            return RecordingAssets.Movie(
                layer: layer, width: size.width, height: size.height,
                place: RecordingAssets.Place(
                    directory: "\(recordings)/\(place.moviesDirectory)",
                    name: place.movieName(layer: layer, isSoundAlone: isSoundAlone)))
        }
        let sizes = try assets.write(wishes) { done, all in
            meter.reached(done, of: all, job: 0)
        }
        return zip(wishes, sizes).map { wish, byteCount in
            var asset = self.asset(
                "\(stream.id)-\(wish.layer)", .roomComposite,
                path: "\(place.moviesDirectory)/\(wish.place.name)", byteCount)
            // A single movie has no layer number.
            asset.layer = stream.kind == .recording ? nil : wish.layer
            asset.size = isSoundAlone ? nil : order.layers[wish.layer]
            return asset
        }
    }

    private func makeArchive() throws(RecordingError) -> [CatalogueAsset] {
        let directory = "\(recordings)/\(place.vodDirectory)"
        let archive = try assets.writeArchive(
            at: RecordingAssets.Place(directory: directory, name: place.archiveName)
        ) { done, all in meter.reached(done, of: all, job: order.singleFilePerLayer ? 1 : 0) }
        try assets.unpack(
            into: directory, archive: place.archiveName, contents: archive,
            progress: meter.goesOn)
        var asset = self.asset(
            "\(stream.id)-vod", .roomVOD, path: "\(place.vodDirectory)/\(place.archiveName)",
            archive.byteCount)
        asset.layerCount = assets.layers.count
        asset.size = assets.layers.first.map { order.layers[$0] }
            .flatMap { $0.width == 0 ? nil : $0 }
        return [asset]
    }

    private func asset(
        _ id: String, _ kind: CatalogueAsset.Kind, path: String, _ byteCount: UInt64
    ) -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: stream.id, room: stream.room, session: stream.session, kind: kind,
            path: path, byteCount: Int64(byteCount),
            duration: .nanoseconds(assets.plan.duration.rescaled(to: 1_000_000_000).ticks),
            createdAt: createdAt, expiresAt: expiresAt)
    }
}

/// Work on a thread of its own, for a thread that waits for it.
private final class BlockingTask<Value: Sendable, Failure: Error>: Sendable {
    private let outcome = Mutex<Result<Value, Failure>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws(Failure) -> Value) {
        Thread.detachNewThread { [self] in
            let result = Result { () throws(Failure) in try body() }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
    }

    func wait() -> Result<Value, Failure> {
        isDone.wait()
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("the thread leaves its result before it signals")
        }
        return result
    }
}
