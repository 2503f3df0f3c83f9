public import HLS
import MediaKernel
import Zip

/// Makes a recording's assets from what is on the disk, each in one pass over the segments.
///
/// Blocking, and made for a process or a thread of its own. Memory holds one segment and the
/// logs. What a damaged segment costs is said by `.damaged`; a new plan without it can be made.
public struct RecordingAssets: Sendable {
    public let folder: StreamFolder
    public let plan: RecordingPlan
    /// Seconds since 1970.
    public let createdAt: Int64

    public init(folder: StreamFolder, plan: RecordingPlan, createdAt: Int64) {
        self.folder = folder
        self.plan = plan
        self.createdAt = createdAt
    }

    /// Where an asset lies, and what is said while it comes to be.
    public struct Target: Sendable {
        /// Absolute; made when it is not there.
        public var directory: String
        public var name: String
        /// Called after each segment with the segments done and all of them.
        public var progress: @Sendable (Int, Int) -> Void

        public init(
            directory: String, name: String,
            progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
        ) {
            self.directory = directory
            self.name = name
            self.progress = progress
        }
    }

    /// One layer as an MP4 file, `moov` first.
    ///
    /// - Parameters:
    ///   - width: luma samples; 0 for sound alone.
    /// - Returns: its bytes.
    /// - Throws: `.damaged`, `.file`, `.nothingRecorded`.
    public func writeMovie(
        layer: Int, width: Int, height: Int, to target: Target
    ) throws(RecordingError) -> UInt64 {
        let movie = try MP4Movie(
            plan, layer: layer, width: width, height: height, createdAt: createdAt)
        let file = try AssetFile.create(target.name, in: target.directory)
        try file.write(movie.header)
        for (index, part) in plan.parts.enumerated() {
            let record = part.layers[layer]
            let bytes = try folder.segment(record, layer: layer)
            let samples = try record.samples(in: bytes)
            for slice in movie.media(ofPart: index, samples) { try file.write(slice) }
            target.progress(index + 1, plan.parts.count)
        }
        try file.finish()
        return movie.byteCount
    }

    /// The master playlist, the media playlists and all segments as a zip archive with relative
    /// addresses only.
    ///
    /// - Returns: its bytes.
    /// - Throws: `.damaged`, `.file`, `.archive`.
    public func writeArchive(to target: Target) throws(RecordingError) -> UInt64 {
        var archive = ArchiveFile(
            try AssetFile.create(target.name, in: target.directory),
            modified: ZipDate(unixSeconds: createdAt))
        let master = try folder.master()
        try archive.add(StreamFolder.masterName, master, CRC32.checksum(master))
        for layer in 0..<plan.layerCount {
            let playlist = Array(playlist(ofLayer: layer).rendered().utf8)
            try archive.add(
                "\(StreamFolder.layerName(layer))/\(StreamFolder.playlistName)", playlist,
                CRC32.checksum(playlist))
        }
        let count = plan.parts.count * plan.layerCount
        for layer in 0..<plan.layerCount {
            for (index, part) in plan.parts.enumerated() {
                let record = part.layers[layer]
                let bytes = try folder.segment(record, layer: layer)
                try archive.add(
                    "\(StreamFolder.layerName(layer))/\(record.fileName)", bytes,
                    record.checksum)
                target.progress(layer * plan.parts.count + index + 1, count)
            }
        }
        return try archive.finish()
    }

    /// The segments that cannot be had as they were recorded, for each layer. Reads all of them.
    public func damagedSegments() -> [Int: Set<Int>] {
        var damaged: [Int: Set<Int>] = [:]
        for part in plan.parts {
            for (layer, record) in part.layers.enumerated() {
                let bytes = try? folder.segment(record, layer: layer)
                if bytes == nil { damaged[layer, default: []].insert(record.number) }
            }
        }
        return damaged
    }

    /// The layer's segments as they are in the recording: complete, and with a discontinuity where
    /// something was left out before one. RFC 8216 sect. 4.3.
    public func playlist(ofLayer layer: Int) -> MediaPlaylist {
        let segments = plan.parts.enumerated().map { index, part in
            let record = part.layers[layer]
            let start = MediaTime(ticks: record.firstFrame, timescale: Int32(record.frameRate))
            return Segment(
                uri: record.fileName,
                duration: MediaTime(
                    ticks: Int64(part.frameCount), timescale: Int32(plan.frameRate)),
                programDateTime: record.run + start.rescaled(to: 1_000_000_000).ticks,
                isDiscontinuity: part.isJoin && index > 0, byteCount: record.byteCount)
        }
        let longest = segments.map { Int($0.duration.rescaled(to: 1).ticks) }.max() ?? 1
        return MediaPlaylist(
            kind: .vod, targetDuration: max(1, longest), segments: segments, isEnded: true)
    }
}
