import Catalogue
import HLS
import MediaKernel
import NIOPosix
import ObjectStorage
import Recording

/// One layer of a live stream's copy, between its turns.
struct LiveLayer: Sendable {
    var upload: LiveLayerUpload
    /// Of the playlist that was read last, with nothing left to do for it.
    var seen: FileVersion?
    /// There is nothing to copy and never will be.
    var isGone = false
    /// The first segment that somebody removed before it was in the store. The copy ends before it.
    var missing: Int?
    /// Why the last attempt failed.
    var reason: String?

    var isFinished: Bool { upload.isFinished || isGone }
}

/// One turn of a layer: the playlist is read, what it lists is put into the store, then as much of
/// the playlist as the store has the segments of.
struct LiveLayerTurn: Sendable {
    /// Removals between two looks at the playlist.
    private static let removalsMaximum = 8
    /// A day of two-second segments is below 4 MiB.
    private static let playlistBytesMaximum = 64 << 20
    private static let segmentCacheControl = "public, max-age=31536000, immutable"
    /// Of a playlist that does not change any more; it goes when its time is over.
    private static let endedCacheControl = "public, max-age=3600"

    /// Of the layer, on the disk.
    let path: String
    /// Of the layer, in the store.
    let location: ObjectLocation
    /// Nobody writes there any more.
    let isOver: Bool
    let courier: any LiveCourier
    let clock: @Sendable () -> UnixTime

    /// What its file is at the moment; nil before there is one.
    static func version(in path: String) -> FileVersion? {
        FileVersion("\(path)/\(StreamFolder.playlistName)")
    }

    func run(_ layer: LiveLayer) async -> LiveLayer {
        var layer = layer
        let version = Self.version(in: path)
        guard version != nil, let outline = await playlist() else {
            layer.isGone = isOver
            if version != nil { fail(&layer, "its playlist cannot be read") }
            return layer
        }
        layer.upload.listed(outline.segments, isLast: outline.isEnded || isOver)
        var removals = 0
        var isPublished = false
        // While a playlist was on its way, there may have come a newer one.
        while !Task.isCancelled, !isPublished, removals < Self.removalsMaximum,
            let order = layer.upload.next(at: clock())
        {
            switch order {
            case .put(let number) where FileVersion(segment(number)) == nil:
                // It left the window meanwhile.
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

    private func carryOut(
        _ order: LiveLayerUpload.Order, _ outline: PlaylistOutline
    ) async throws(StoreFailure) {
        switch order {
        case .put(let number):
            let name = SegmentRecord.fileName(number: number)
            guard outline.uri(of: number) == name else {
                throw StoreFailure(reason: "the playlist has other names than a bot's")
            }
            let path = segment(number)
            try await courier.put(
                UploadFile(
                    path: path, location: object(name),
                    byteCount: FileVersion(path)?.byteCount ?? 0),
                cacheControl: Self.segmentCacheControl)
        case .publish(let end, let isLast):
            // Half a target duration, or players would wait for what is there.
            let age = outline.targetDuration / 2
            try await courier.put(
                outline.text(upTo: end, isLast: isLast),
                at: object(StreamFolder.playlistName),
                cacheControl: isLast ? Self.endedCacheControl : "public, max-age=\(age)")
        case .remove(let number):
            try await courier.delete(object(SegmentRecord.fileName(number: number)))
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

    private func playlist() async -> PlaylistOutline? {
        let path = "\(path)/\(StreamFolder.playlistName)"
        return try? await NIOThreadPool.singleton.runIfActive {
            PlaylistOutline(
                try StreamFolder.read(path, maximum: Self.playlistBytesMaximum))
        }
    }
}
