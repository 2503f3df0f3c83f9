public import HLS
import MediaKernel
import Zip

/// Makes a recording's assets from the files on disk: all MP4 files in one pass over the segments,
/// the archive in another. Each pass reads each byte once, and writes it once per asset.
///
/// Blocks; meant for a process or a thread of its own. Memory holds one segment and the logs. A
/// damaged segment throws `.damaged`; a new plan can leave it out.
public struct RecordingAssets: Sendable {
    public let folder: StreamFolder
    public let plan: RecordingPlan
    /// The layers of the assets, best first; a layer keeps its number in the stream.
    public let layers: [Int]
    /// Seconds since 1970.
    public let createdAt: Int64
    /// Of the stream, in all its languages.
    public let captions: [Caption]
    /// The playlists' date ranges, for each part.
    private let dateRanges: [Int: [DateRange]]

    /// - Parameters:
    ///   - layers: to include; nil for all.
    ///   - timedMetadata: of the stream; entries within a pause are left out.
    ///   - captions: of the stream, too.
    public init(
        folder: StreamFolder, plan: RecordingPlan, layers: [Int]? = nil, createdAt: Int64,
        timedMetadata: [TimedMetadata] = [], captions: [Caption] = []
    ) {
        self.folder = folder
        self.plan = plan
        self.layers = layers ?? Array(0..<plan.layerCount)
        self.createdAt = createdAt
        self.captions = captions
        var dateRanges: [Int: [DateRange]] = [:]
        for range in timedMetadata.map(\.dateRange) {
            guard let part = plan.part(at: range.start) else { continue }
            dateRanges[part, default: []].append(range)
        }
        self.dateRanges = dateRanges
    }

    /// The place of an asset.
    public struct Place: Hashable, Sendable {
        /// Absolute; created if missing.
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
        /// Luma samples; 0 for audio alone.
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

    /// A finished archive.
    public struct Archive: Hashable, Sendable {
        /// Of the whole archive.
        public var byteCount: UInt64
        /// The ranges of each layer's segments in the archive.
        public var segments: [[Range<UInt64>]]
        /// The ranges of each layer's initialization sections, by checksum.
        var headers: [[UInt32: Range<UInt64>]]
        /// The ranges of each language's captions, by folder.
        var captions: [String: [Range<UInt64>]]
    }

    private struct OpenMovie {
        var layer: Int
        var movie: MP4Movie
        var file: AssetFile
    }

    /// Writes MP4 files, `moov` first.
    ///
    /// - Parameter progress: called after each part with the numbers of finished and all parts.
    /// - Returns: the size of each file in bytes.
    /// - Throws: `.damaged`, `.file`, `.nothingRecorded`. Files are then missing, except those that
    ///   were finished before the failure.
    public func write(
        _ movies: [Movie], progress: (Int, Int) -> Void = { _, _ in }
    ) throws(RecordingError) -> [UInt64] {
        var open: [OpenMovie] = []
        for wish in movies {
            let movie = try MP4Movie(
                plan, layer: wish.layer, width: wish.width, height: wish.height,
                createdAt: createdAt)
            let file = try AssetFile.create(wish.place.name, in: wish.place.directory)
            try file.write(movie.header)
            open.append(OpenMovie(layer: wish.layer, movie: movie, file: file))
        }
        for (index, part) in plan.parts.enumerated() {
            for (layer, record) in part.layers.enumerated() {
                let movies = open.filter { $0.layer == layer }
                guard !movies.isEmpty else { continue }
                let samples = try record.samples(in: try folder.segment(record, layer: layer))
                for movie in movies {
                    for slice in movie.movie.media(ofPart: index, samples) {
                        try movie.file.write(slice)
                    }
                }
            }
            progress(index + 1, plan.parts.count)
        }
        for movie in open { try movie.file.finish() }
        return open.map(\.movie.byteCount)
    }

    /// Writes the archive of the master playlist, the media playlists, all segments and captions, with
    /// relative addresses only.
    ///
    /// - Parameter progress: as for `write`.
    /// - Throws: `.damaged`, `.file`, `.archive`; there is then no archive.
    public func writeArchive(
        at place: Place, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(RecordingError) -> Archive {
        var archive = try openArchive(at: place)
        var segments: [[Range<UInt64>]] = Array(repeating: [], count: plan.layerCount)
        var headers: [[UInt32: Range<UInt64>]] = Array(repeating: [:], count: plan.layerCount)
        for (index, part) in plan.parts.enumerated() {
            for layer in layers {
                let record = part.layers[layer]
                if let header = record.header, let name = record.headerName,
                    headers[layer][header] == nil
                {
                    headers[layer][header] = try archive.add(
                        "\(StreamFolder.layerName(layer))/\(name)",
                        try folder.header(record, layer: layer), checksum: header)
                }
                segments[layer].append(
                    try archive.add(
                        "\(StreamFolder.layerName(layer))/\(record.fileName)",
                        try folder.segment(record, layer: layer), checksum: record.checksum))
            }
            progress(index + 1, plan.parts.count)
        }
        let captions = try addCaptions(to: &archive)
        return Archive(
            byteCount: try archive.finish(), segments: segments, headers: headers,
            captions: captions)
    }

    /// Opens the archive and adds the playlists.
    private func openArchive(at place: Place) throws(RecordingError) -> ArchiveFile {
        var archive = ArchiveFile(
            try AssetFile.create(place.name, in: place.directory),
            modified: ZipDate(unixSeconds: createdAt))
        try archive.add(StreamFolder.masterName, try master().rendered())
        for layer in layers {
            try archive.add(
                StreamFolder.playlistPath(ofLayer: layer), playlist(ofLayer: layer).rendered())
        }
        return archive
    }

    /// The stream's master playlist with the bitrates of the recorded segments. The live stream's
    /// was written before any segment existed and gives upper bounds; now that all exist it must
    /// give the actual values. RFC 8216 sect. 4.3.4.2.
    ///
    /// - Throws: `.file`.
    func master() throws(RecordingError) -> MasterPlaylist {
        var master = try folder.master()
        master.subtitles = try captionLanguages()
        let kept = Set(layers.map { StreamFolder.playlistPath(ofLayer: $0) })
        master.variants.removeAll { !kept.contains($0.uri) }
        for layer in layers {
            let rate = bitrate(ofLayer: layer)
            for index in master.variants.indices
            where master.variants[index].uri == StreamFolder.playlistPath(ofLayer: layer) {
                master.variants[index].bandwidth = rate.peak
                master.variants[index].averageBandwidth = rate.average
            }
        }
        return master
    }

    private func bitrate(ofLayer layer: Int) -> SegmentBitrate {
        let segments = plan.parts.map { part in
            SegmentBitrate.Segment(
                byteCount: part.layers[layer].byteCount, frameCount: part.frameCount)
        }
        return SegmentBitrate(
            segments, frameRate: plan.frameRate,
            targetDuration: playlist(ofLayer: layer).targetDuration)
    }

    /// The segments of each layer whose files are missing or changed. Reads all of them.
    ///
    /// - Parameter progress: called after each stretch.
    public func damagedSegments(progress: () -> Void = {}) -> [Int: Set<Int>] {
        var damaged: [Int: Set<Int>] = [:]
        for part in plan.parts {
            for (layer, record) in part.layers.enumerated() {
                let bytes = try? folder.segment(record, layer: layer)
                let header = record.header == nil ? [] : try? folder.header(record, layer: layer)
                if bytes == nil || header == nil {
                    damaged[layer, default: []].insert(record.number)
                }
            }
            progress()
        }
        return damaged
    }

    /// The layer's playlist for the recording: complete, with a discontinuity wherever segments
    /// were left out. RFC 8216 sect. 4.3.
    public func playlist(ofLayer layer: Int) -> MediaPlaylist {
        let segments = plan.parts.enumerated().map { index, part in
            let record = part.layers[layer]
            return Segment(
                uri: record.fileName,
                duration: MediaTime(
                    ticks: Int64(part.frameCount), timescale: Int32(plan.frameRate)),
                programDateTime: record.startDate,
                discontinuities: part.isJoin && index > 0 ? 1 : 0,
                dateRanges: dateRanges[index] ?? [],
                initialization: record.headerName.map { InitializationSection(uri: $0) })
        }
        return MediaPlaylist(
            kind: .vod, targetDuration: segments.map(\.duration.wholeSeconds).max() ?? 1,
            segments: segments, isEnded: true)
    }
}
