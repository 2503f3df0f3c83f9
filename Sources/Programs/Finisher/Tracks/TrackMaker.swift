import Catalogue
import ChildProcesses
import MediaKernel
import Recording

/// Makes the assets of a stream's single tracks: a file for each part of a track, the index, and an
/// archive of both.
struct TrackMaker {
    let assets: TrackAssets
    /// The stream's.
    let directory: String
    let stream: CatalogueStream
    let order: TrackOrder
    let place: RecordingPlace
    let recordings: String
    let createdAt: UnixTime
    let expiresAt: UnixTime?
    let report: @Sendable (FinisherReport) -> Void

    /// - Throws: `.file`, `.archive`.
    func make(progress: @escaping () -> Void) throws(RecordingError) -> [CatalogueAsset] {
        let directory = "\(recordings)/\(place.tracksDirectory)"
        let archive =
            order.zip && order.bundle == nil
            ? RecordingAssets.Place(directory: directory, name: place.tracksArchiveName) : nil
        let composer = TrackComposer(
            streamID: stream.id.rawValue, order: order, directory: directory, place: place,
            createdAt: stream.createdAt.seconds, progress: progress,
            leftOut: { report(.withoutFile(name: $0, reason: $1)) })
        var bundle: StreamBundle.Made?
        let made = try assets.make(
            TrackAssets.Wish(
                streamID: stream.id.rawValue, roomID: stream.room.rawValue,
                sessionID: stream.session?.rawValue ?? "", usesOgg: !order.webm,
                directory: directory, title: place.tracksTitle, archive: archive,
                createdAt: stream.createdAt.seconds),
            progress: { _, _ in progress() },
            compose: { (parts) throws(RecordingError) in
                bundle = try makeBundle(of: parts, in: directory, progress: progress)
                return try composer.make(parts)
            })
        guard let made else { return [] }
        var all = made.index.tracks.flatMap { track in
            track.files.map { asset(of: $0, track) }
        }
        all += (made.index.compositions ?? []).map { asset(of: $0) }
        let duration = Duration.milliseconds(made.index.duration)
        all.append(
            asset(
                "\(stream.id)-tracks", .trackIndex, name: made.indexName,
                byteCount: made.indexByteCount, duration: nil))
        if let byteCount = made.archiveByteCount {
            all.append(
                asset(
                    "\(stream.id)-individual", .individual, name: place.tracksArchiveName,
                    byteCount: byteCount, duration: duration))
        }
        if let bundle {
            all.append(
                asset(
                    "\(stream.id)-individual", .individual, name: place.tracksArchiveName,
                    byteCount: bundle.byteCount, duration: .milliseconds(bundle.duration)))
        }
        return all
    }

    private func makeBundle(
        of parts: [RecordedPart], in folder: String, progress: () -> Void
    ) throws(RecordingError) -> StreamBundle.Made? {
        guard let wish = order.bundle else { return nil }
        let bundle = try StreamBundle(
            StreamBundle.Title(
                id: wish.id, name: wish.name, session: stream.room.rawValue,
                createdAt: stream.createdAt.milliseconds), hasSound: wish.hasSound,
            hasPicture: wish.hasPicture, stream: directory, startedAt: assets.startedAt)
        return try bundle.make(
            of: parts,
            at: RecordingAssets.Place(directory: folder, name: place.tracksArchiveName),
            progress: progress)
    }

    private func asset(of file: TrackIndex.Composition) -> CatalogueAsset {
        var asset = asset(
            file.assetID, file.kind == .mix ? .audioMix : .stream, name: file.name,
            byteCount: file.bytes, duration: .milliseconds(file.duration))
        if let width = file.width, let height = file.height {
            asset.size = CatalogueAsset.Size(width: width, height: height)
        }
        if let peer = file.peer {
            asset.track = CatalogueAsset.Track(
                id: "", peer: peer.id, name: peer.name, role: peer.role,
                source: file.source ?? "", codec: file.video ?? file.audio ?? "",
                start: file.start)
        }
        return asset
    }

    private func asset(of file: TrackIndex.File, _ track: TrackIndex.Track) -> CatalogueAsset {
        var asset = asset(
            file.assetID, .track, name: file.name, byteCount: file.bytes,
            duration: .milliseconds(file.duration))
        if let width = file.width, let height = file.height {
            asset.size = CatalogueAsset.Size(width: width, height: height)
        }
        asset.track = CatalogueAsset.Track(
            id: track.id, peer: track.peer.id, name: track.peer.name, role: track.peer.role,
            source: track.source, codec: file.codec.rawValue, start: file.start)
        return asset
    }

    private func asset(
        _ id: String, _ kind: CatalogueAsset.Kind, name: String, byteCount: UInt64,
        duration: Duration?
    ) -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: stream.id, room: stream.room, session: stream.session, kind: kind,
            path: "\(place.tracksDirectory)/\(name)", byteCount: Int64(byteCount),
            duration: duration, createdAt: createdAt, expiresAt: expiresAt)
    }
}
