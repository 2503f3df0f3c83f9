import Codec
import Glibc
import HLS
import MediaKernel
import Recording

/// One layer on disk: its segments and its media playlist. A playlist never names a file that does
/// not exist yet. Owned by the layer's thread.
struct LayerDirectory {
    /// Bytes of a playlist left by an earlier run that are read back: a week of 2-s segments.
    static let playlistBytesMaximum = 32 << 20
    /// The fewest segments that are kept after they have left the live window, for players that
    /// lag.
    static let expiredSegmentsMinimum = 8
    /// The muxer's timestamp of time zero, in ticks of 90 kHz.
    private static let timestampOrigin =
        TransportStreamMuxer.timestampOffset.rescaled(to: 90_000).ticks

    /// The frames of a segment.
    struct Place: Hashable {
        /// Nanoseconds since 1970 of frame 0.
        var epoch: Int64
        /// Frames per second.
        var frameRate: Int
        var firstFrame: Int64
        var frameCount: Int

        var duration: MediaTime {
            MediaTime(ticks: Int64(frameCount), timescale: Int32(frameRate))
        }

        var programDateTime: Int64 {
            SegmentRecord.date(ofFrame: firstFrame, run: epoch, frameRate: frameRate)
        }
    }

    let path: String
    let format: SegmentFormat
    /// Nil without parts.
    var parts: PartFiles?
    /// The segment that this run has made of what an earlier one left of it.
    var finished: Int?
    /// The names of initialization sections that this run has written.
    private var headers: Set<String> = []
    /// Segments that are kept behind the live window: for as long as a playlist that names one of
    /// them and the segment itself last (RFC 8216 sect. 6.2.2), and one more for a short segment
    /// among them, which a bot's death leaves.
    private let expiredKept: Int
    var builder: MediaPlaylistBuilder
    /// Nil for a stream that is not recorded.
    private let log: SegmentLogFile?
    private let metadata: TimedMetadataBoard
    /// How many of the board's entries the playlist has.
    private var metadataTaken = 0
    private var expired: [String] = []
    /// The captions that follow this layer's segments: those of the first layer.
    private var captions: [CaptionDirectory] = []

    /// Opens the directories of all layers of a stream, best first.
    ///
    /// When a bot dies within its first segment, some layers have that segment and others do not,
    /// so the others have one discontinuity less. All later segments have the same number of
    /// discontinuities before them in all layers, because players that change layers rely on that
    /// (RFC 8216 sect. 6.2.4).
    static func open(
        count: Int, in directory: String, mode: PlaylistMode, planner: SegmentPlanner,
        isRecorded: Bool, metadata: TimedMetadataBoard = TimedMetadataBoard(),
        captions: CaptionBoard? = nil, files: ContainerFiles = .transportStream
    ) throws(PipelineError) -> [LayerDirectory] {
        var layers: [LayerDirectory] = []
        for index in 0..<count {
            layers.append(
                try LayerDirectory(
                    layer: index, in: directory, mode: files.mode(mode), planner: planner,
                    isRecorded: isRecorded && !files.isBeside, metadata: metadata, files: files))
        }
        try takeOverParts(in: &layers, files.planner(planner))
        let number = layers.map(\.builder.nextDiscontinuitySequence).max() ?? 0
        for index in layers.indices {
            layers[index].builder.raiseDiscontinuitySequence(to: number)
        }
        if let captions, count > 0 {
            try layers[0].openCaptions(captions, in: directory, mode: files.mode(mode), files)
        }
        return layers
    }

    private mutating func openCaptions(
        _ board: CaptionBoard, in directory: String, mode: PlaylistMode, _ files: ContainerFiles
    ) throws(PipelineError) {
        for language in board.languages {
            captions.append(
                try CaptionDirectory(
                    language, of: files, in: directory, following: builder.playlist,
                    window: mode.window, expired: expired, expiredKept: expiredKept,
                    origin: Self.timestampOrigin, board: board))
        }
    }

    /// Makes the directory, or continues an earlier run of the same stream.
    ///
    /// - Parameters:
    ///   - isRecorded: whether segments are logged and never removed.
    ///   - metadata: the playlist's date ranges.
    private init(
        layer index: Int, in directory: String, mode: PlaylistMode, planner: SegmentPlanner,
        isRecorded: Bool, metadata: TimedMetadataBoard, files: ContainerFiles
    ) throws(PipelineError) {
        self.metadata = metadata
        format = files.format
        expiredKept =
            switch mode {
            case .live(let window): max(Self.expiredSegmentsMinimum, window + 2)
            case .event: 0
            }
        path = "\(directory)/\(files.layerName(index))"
        try AtomicFile.makeDirectory(path)
        let planner = files.planner(planner)
        if planner.partFrames != nil { parts = PartFiles(in: path, planner: planner) }
        log = isRecorded ? try Self.openLog(in: path) : nil
        // Recorded segments are never overwritten.
        let first = (log?.latest.map(\.number).max() ?? -1) + 1
        builder = MediaPlaylistBuilder(
            mode: mode, targetDuration: planner.targetDuration, firstMediaSequence: first)
        if let earlier = try Self.earlierPlaylist(in: path),
            let resumed = try? MediaPlaylistBuilder(resuming: earlier, window: mode.window)
        {
            builder = resumed
            rememberExpired(before: earlier.mediaSequence)
            try listLogged()
        }
    }

    /// Nil when there is none.
    ///
    /// - Throws: if the playlist is unreadable: starting anew would overwrite segments that viewers
    ///   have.
    private static func earlierPlaylist(
        in path: String
    ) throws(PipelineError) -> MediaPlaylist? {
        let path = "\(path)/\(StreamFolder.playlistName)"
        guard StreamFolder.isThere(path) else { return nil }
        let bytes: [UInt8]
        do throws(RecordingError) {
            bytes = try StreamFolder.read(path, maximum: playlistBytesMaximum)
        } catch {
            throw PipelineError(error)
        }
        do throws(PlaylistError) {
            return try MediaPlaylist(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .settings("\(path): \(error)")
        }
    }

    private static func openLog(in path: String) throws(PipelineError) -> SegmentLogFile {
        do throws(RecordingError) {
            return try SegmentLogFile(in: path)
        } catch {
            throw PipelineError(error)
        }
    }

    /// The segments that the previous bot would still have removed. Some of them may be gone
    /// already.
    private mutating func rememberExpired(before first: Int) {
        guard case .live = builder.mode else { return }
        expired = (max(0, first - 2 * expiredKept)..<first).map {
            SegmentRecord.fileName(number: $0, format)
        }
    }

    /// A bot that was killed between logging a segment and publishing its playlist has recorded the
    /// segment: it is listed now, since the next segment must not take its number.
    private mutating func listLogged() throws(PipelineError) {
        var ends: [Int: (run: Int64, frame: Int64)] = [:]
        for record in log?.latest ?? [] {
            ends[record.number] = (record.run, record.firstFrame + Int64(record.frameCount))
            guard record.number == nextIndex else { continue }
            // From the same run, with nothing left out between them.
            if let end = ends[record.number - 1], end == (record.run, record.firstFrame) {
                builder.markContinuous()
            }
            let place = Place(
                epoch: record.run, frameRate: record.frameRate, firstFrame: record.firstFrame,
                frameCount: record.frameCount)
            try list(
                record.fileName, place: place, duration: place.duration, header: record.headerName)
            builder.markDiscontinuity()
        }
    }

    /// The next segment's number, counted over all runs of the stream.
    var nextIndex: Int { builder.nextMediaSequence }

    /// Writes a segment to disk, to the log and to the playlist, in that order. Returns its number.
    ///
    /// - Parameters:
    ///   - duration: for the playlist; an audio-only segment may end within a frame.
    ///   - isLeftOut: whether recording was paused in some of its frames.
    mutating func publish(
        _ segment: MultiplexedSegment, place: Place, duration: MediaTime, isLeftOut: Bool = false
    ) throws(PipelineError) -> Int {
        let index = nextIndex
        let name = SegmentRecord.fileName(number: index, format)
        let header = try publishHeader(segment.header)
        try AtomicFile.write(segment.bytes, to: name, in: path)
        if let log {
            try Self.append(
                segment, number: index, place: place, isLeftOut: isLeftOut, header: header, to: log)
        }
        announceMetadata()
        try list(name, place: place, duration: duration, header: header?.fileName)
        try writePlaylist()
        parts?.endSegment()
        while expired.count > expiredKept {
            let name = expired.removeFirst()
            if log == nil { unlink("\(path)/\(name)") }
        }
        if let listed = builder.playlist.segments.last {
            for index in captions.indices {
                try captions[index].publish(listed, place: place)
            }
        }
        return index
    }

    /// Writes the initialization section unless this run has written it.
    ///
    /// - Returns: nil for a format without.
    mutating func publishHeader(
        _ bytes: [UInt8]
    ) throws(PipelineError) -> FragmentHeader? {
        guard !bytes.isEmpty else { return nil }
        let header = FragmentHeader(bytes: bytes)
        if headers.insert(header.fileName).inserted {
            try AtomicFile.write(bytes, to: header.fileName, in: path)
        }
        return header
    }

    private static func append(
        _ segment: MultiplexedSegment, number: Int, place: Place, isLeftOut: Bool,
        header: FragmentHeader?, to log: SegmentLogFile
    ) throws(PipelineError) {
        let clock = SegmentClock(
            frameRate: place.frameRate, origin: timestampOrigin, firstFrame: place.firstFrame)
        do throws(RecordingError) {
            try log.append(
                try SegmentRecord(
                    number: number, run: place.epoch, clock: clock, frameCount: place.frameCount,
                    isLeftOut: isLeftOut, table: try SegmentTable(segment, clock: clock),
                    header: header?.checksum, bytes: segment.bytes))
        } catch {
            throw PipelineError(error)
        }
    }

    private mutating func list(
        _ name: String, place: Place, duration: MediaTime, header: String?
    ) throws(PipelineError) {
        try list(
            Segment(
                uri: name, duration: duration, programDateTime: place.programDateTime,
                initialization: header.map { InitializationSection(uri: $0) }))
    }

    mutating func list(_ segment: Segment) throws(PipelineError) {
        do throws(PlaylistError) {
            expired += try builder.add(segment).map(\.uri)
        } catch {
            throw .settings("segment \(segment.uri): \(error)")
        }
    }

    /// Entries that the playlist rejects are left out: they were checked when they were accepted.
    private mutating func announceMetadata() {
        for range in metadata.ranges(after: metadataTaken) {
            metadataTaken += 1
            try? builder.announce(range)
        }
    }

    /// The next segment does not continue the last one.
    mutating func markDiscontinuity() { builder.markDiscontinuity() }

    /// Marks the playlist as ended.
    mutating func end() throws(PipelineError) {
        announceMetadata()
        builder.end()
        try writePlaylist()
        for index in captions.indices { try captions[index].end() }
        if parts != nil { UnfinishedSegment.remove(in: path) }
    }

    func writePlaylist() throws(PipelineError) {
        try AtomicFile.write(builder.rendered(), to: StreamFolder.playlistName, in: path)
    }
}

extension SegmentTable {
    /// Made from the packets, without searching the bytes for them.
    init(_ segment: MultiplexedSegment, clock: SegmentClock) throws(RecordingError) {
        self.init(clock: clock)
        func timestamp(_ time: MediaTime) -> Int64 {
            time.rescaled(to: 90_000).ticks + clock.origin
        }
        for packet in segment.video {
            try add(picture: packet.data, at: timestamp(packet.pts))
        }
        // The muxer inserts them where the encoder did not.
        if let sets = segment.parameterSets, !pictures.isEmpty {
            complete(with: ParameterSets(sequence: sets.sequence, picture: sets.picture))
        }
        for packet in segment.audio {
            try add(block: packet.data.count, .ours, at: timestamp(packet.pts))
        }
    }
}

extension SoundFormat {
    /// The format of streams' only audio encoder.
    fileprivate static let ours: SoundFormat = {
        guard
            let format = SoundFormat(
                sampleRate: AACEncoder.sampleRate, channels: AACEncoder.channels)
        else { preconditionFailure("the encoder's format has a name") }
        return format
    }()
}

extension PipelineError {
    init(_ error: RecordingError) {
        switch error {
        case .file(let path, let call, let code, let reason):
            self = .file(path: path, call: call, code: code, reason: reason)
        case .malformed, .damaged, .nothingRecorded, .archive:
            self = .settings("recording: \(error)")
        }
    }
}

extension PlaylistMode {
    fileprivate var window: Int {
        switch self {
        case .live(let window): window
        case .event: .max
        }
    }
}
