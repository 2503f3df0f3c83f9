import Catalogue
import HLS
import MediaKernel
import ObjectStorage
import Recording

/// One layer of a live stream's copy, between its turns.
struct LiveLayer: Sendable {
    var upload: LiveLayerUpload
    /// The version of the last playlist read, if nothing is left to do for it.
    var seen: FileVersion?
    /// There is nothing to copy and never will be.
    var isGone = false
    /// The first segment that was removed before it was stored. The copy ends before it.
    var missing: Int?
    /// Why the latest attempt failed.
    var reason: String?

    var isFinished: Bool { upload.isFinished || isGone }
}

/// One turn of a layer: reads the playlist, puts the segments it lists into the store, and then the
/// playlist up to the last stored segment.
struct LiveLayerTurn: Sendable {
    /// The most removals between two looks at the playlist.
    private static let removalsMaximum = 8
    /// The playlist of a day of two-second segments is below 4 MiB.
    private static let playlistBytesMaximum = 64 << 20
    private static let segmentCacheControl = "public, max-age=31536000, immutable"
    /// For a playlist that no longer changes, but will be removed when it expires.
    private static let endedCacheControl = "public, max-age=3600"

    /// The layer's directory on disk.
    let path: String
    /// The layer's location in the store.
    let location: ObjectLocation
    /// Nobody writes to the directory any more.
    let isOver: Bool
    let client: any LiveStoreClient
    let clock: @Sendable () -> UnixTime

    /// The current version of the layer's playlist; nil if it does not exist yet.
    static func version(in path: String) -> FileVersion? {
        FileVersion("\(path)/\(StreamFolder.playlistName)")
    }

    /// Reads files in the caller's isolation, whose thread a hanging disk may block.
    nonisolated(nonsending) func run(_ layer: LiveLayer) async -> LiveLayer {
        var layer = layer
        let version = Self.version(in: path)
        guard version != nil, let outline = playlist() else {
            layer.isGone = isOver
            if version != nil { fail(&layer, "its playlist cannot be read") }
            return layer
        }
        layer.upload.listed(outline.segments, isLast: outline.isEnded || isOver)
        var removals = 0
        var isPublished = false
        // A newer playlist may have appeared while this one was uploaded.
        while !Task.isCancelled, !isPublished, removals < Self.removalsMaximum,
            let order = layer.upload.next(at: clock())
        {
            switch order {
            case .put(let number) where FileVersion(segment(number)) == nil:
                // The segment has left the window meanwhile.
                guard isOver || Self.version(in: path) == version else { return layer }
                guard isOver else {
                    fail(&layer, "\(SegmentRecord.fileName(number: number)) is gone")
                    return layer
                }
                layer.missing = number
                layer.upload.listed(outline.segments.lowerBound..<number, isLast: true)
                continue
            case .put: break
            case .publish: isPublished = true
            case .remove: removals += 1
            }
            do throws(StoreFailure) {
                try await carryOut(order, outline)
                layer.upload.succeeded(order)
                layer.reason = nil
            } catch {
                fail(&layer, error.reason)
                return layer
            }
        }
        if layer.upload.next(at: clock()) == nil, !Task.isCancelled { layer.seen = version }
        return layer
    }

    nonisolated(nonsending) private func carryOut(
        _ order: LiveLayerUpload.Order, _ outline: PlaylistOutline
    ) async throws(StoreFailure) {
        switch order {
        case .put(let number):
            let name = SegmentRecord.fileName(number: number)
            guard outline.uri(of: number) == name else {
                throw StoreFailure(reason: "the playlist has other names than a bot's")
            }
            let path = segment(number)
            try await client.put(
                UploadFile(
                    path: path, location: object(name),
                    byteCount: FileVersion(path)?.byteCount ?? 0),
                cacheControl: Self.segmentCacheControl)
        case .publish(let end, let isLast):
            // Half a target duration; longer caching would delay players.
            let age = outline.targetDuration / 2
            try await client.put(
                outline.text(upTo: end, isLast: isLast),
                at: object(StreamFolder.playlistName),
                cacheControl: isLast ? Self.endedCacheControl : "public, max-age=\(age)")
        case .remove(let number):
            try await client.delete(object(SegmentRecord.fileName(number: number)))
        }
    }

    private func segment(_ number: Int) -> String {
        "\(path)/\(SegmentRecord.fileName(number: number))"
    }

    private func fail(_ layer: inout LiveLayer, _ reason: String) {
        layer.upload.failed(at: clock())
        layer.reason = reason
    }

    private func object(_ name: String) -> ObjectLocation {
        ObjectLocation(bucket: location.bucket, key: "\(location.key)/\(name)")
    }

    private func playlist() -> PlaylistOutline? {
        let path = "\(path)/\(StreamFolder.playlistName)"
        let bytes = try? StreamFolder.read(path, maximum: Self.playlistBytesMaximum)
        return bytes.flatMap { PlaylistOutline($0) }
    }
}
