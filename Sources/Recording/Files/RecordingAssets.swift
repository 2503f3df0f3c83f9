public import HLS
import MediaKernel
import Zip

/// Makes a recording's assets from what is on the disk, all in one pass over the segments: each of
/// their bytes is read once, and written once for each asset that it is in.
///
/// Blocking, and made for a process or a thread of its own. Memory holds one segment and the
/// logs. What a damaged segment costs is said by `.damaged`; a new plan without it can be made.
public struct RecordingAssets: Sendable {
    public let folder: StreamFolder
    public let plan: RecordingPlan
    /// Seconds since 1970.
    public let createdAt: Int64
    /// What the playlists list, for each part.
    private let dateRanges: [Int: [DateRange]]

    /// - Parameter timedMetadata: of the stream; what falls into a pause is left out.
    public init(
        folder: StreamFolder, plan: RecordingPlan, createdAt: Int64,
        timedMetadata: [TimedMetadata] = []
    ) {
        self.folder = folder
        self.plan = plan
        self.createdAt = createdAt
        var dateRanges: [Int: [DateRange]] = [:]
        for range in timedMetadata.map(\.dateRange) {
            guard let part = plan.part(at: range.start) else { continue }
            dateRanges[part, default: []].append(range)
        }
        self.dateRanges = dateRanges
    }

    /// Where an asset is to lie.
    public struct Place: Hashable, Sendable {
        /// Absolute; made when it is not there.
        public var directory: String
        public var name: String

        public init(directory: String, name: String) {
            self.directory = directory
            self.name = name
        }
    }

    /// One layer as an MP4 file.
    public struct Movie: Hashable, Sendable {
        public var layer: Int
        /// Luma samples; 0 for sound alone.
        public var width: Int
        public var height: Int
        public var place: Place

        public init(layer: Int, width: Int, height: Int, place: Place) {
            self.layer = layer
            self.width = width
            self.height = height
            self.place = place
        }
    }

    /// Bytes of what was made.
    public struct Sizes: Hashable, Sendable {
        /// In the order of the wishes.
        public var movies: [UInt64] = []
        public var archive: UInt64?
        /// Where in the archive the segments of each layer lie.
        public var archivedSegments: [[Range<UInt64>]] = []
    }

    private struct OpenMovie {
        var layer: Int
        var movie: MP4Movie
        var file: AssetFile
    }

    /// Writes the wanted MP4 files, `moov` first, and the archive of the master playlist, the media
    /// playlists and all segments, with relative addresses only.
    ///
    /// - Parameter progress: called after each stretch with those done and all of them.
    /// - Throws: `.damaged`, `.file`, `.archive`, `.nothingRecorded`. No asset is there then, but
    ///   for those that were finished before the failure.
    public func write(
        movies: [Movie], archive place: Place?, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(RecordingError) -> Sizes {
        var open: [OpenMovie] = []
        for wish in movies {
            let movie = try MP4Movie(
                plan, layer: wish.layer, width: wish.width, height: wish.height,
                createdAt: createdAt)
            let file = try AssetFile.create(wish.place.name, in: wish.place.directory)
            try file.write(movie.header)
            open.append(OpenMovie(layer: wish.layer, movie: movie, file: file))
        }
        var archive = try openArchive(at: place)
        var sizes = Sizes()
        sizes.archivedSegments = Array(repeating: [], count: plan.layerCount)
        for (index, part) in plan.parts.enumerated() {
            for (layer, record) in part.layers.enumerated() {
                guard archive != nil || open.contains(where: { $0.layer == layer }) else {
                    continue
                }
                let bytes = try folder.segment(record, layer: layer)
                for movie in open where movie.layer == layer {
                    for slice in movie.movie.media(ofPart: index, try record.samples(in: bytes)) {
                        try movie.file.write(slice)
                    }
                }
                let range = try archive?.add(
                    "\(StreamFolder.layerName(layer))/\(record.fileName)", bytes,
                    checksum: record.checksum)
                if let range { sizes.archivedSegments[layer].append(range) }
            }
            progress(index + 1, plan.parts.count)
        }
        for movie in open {
            try movie.file.finish()
            sizes.movies.append(movie.movie.byteCount)
        }
        sizes.archive = try archive?.finish()
        return sizes
    }

    /// With the playlists in it.
    private func openArchive(at place: Place?) throws(RecordingError) -> ArchiveFile? {
        guard let place else { return nil }
        var archive = ArchiveFile(
            try AssetFile.create(place.name, in: place.directory),
            modified: ZipDate(unixSeconds: createdAt))
        let master = String(decoding: try folder.master(), as: UTF8.self)
        try archive.add(StreamFolder.masterName, master)
        for layer in 0..<plan.layerCount {
            try archive.add(
                "\(StreamFolder.layerName(layer))/\(StreamFolder.playlistName)",
                playlist(ofLayer: layer).rendered())
        }
        return archive
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
            return Segment(
                uri: record.fileName,
                duration: MediaTime(
                    ticks: Int64(part.frameCount), timescale: Int32(plan.frameRate)),
                programDateTime: record.startDate,
                isDiscontinuity: part.isJoin && index > 0, dateRanges: dateRanges[index] ?? [],
                byteCount: record.byteCount)
        }
        let longest = segments.map { Int($0.duration.rescaled(to: 1).ticks) }.max() ?? 1
        return MediaPlaylist(
            kind: .vod, targetDuration: max(1, longest), segments: segments, isEnded: true)
    }
}
