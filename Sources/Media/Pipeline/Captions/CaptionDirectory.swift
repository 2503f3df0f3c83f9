import Glibc
import HLS
import MediaKernel
import Recording
import Streams

/// The captions of one language on disk, beside one container's segments: a WebVTT file for each
/// segment, and a media playlist.
///
/// They follow the segments of the container's first layer. The playlist is its mirror: the same
/// numbers, durations, dates, discontinuities and window. Owned by the layer's thread.
struct CaptionDirectory {
    /// The presentation timestamp of frame 0, in ticks of 90 kHz: that of all containers.
    private let origin: Int64
    private let language: String
    private let path: String
    private let board: CaptionBoard
    private var builder: MediaPlaylistBuilder
    private var placer: CaptionPlacer
    /// How many of the board's captions, in any language, have been looked at.
    private var taken = 0
    /// The greatest number among them, or of an earlier bot.
    private var newest: Int
    /// Segments that are kept behind the live window, as in the layer's directory.
    private let expiredKept: Int
    private var expired: [String]
    /// The comment with the progress is within as many bytes from a file's beginning.
    private static let headBytes = 512

    /// Makes the directory, or continues the one of an earlier bot.
    ///
    /// - Parameters:
    ///   - playlist: the layer's own, with all that earlier bots have published.
    ///   - window: of a live playlist.
    ///   - expired: the names of segments that have left it and are still there.
    init(
        _ language: CaptionLanguage, of files: ContainerFiles, in directory: String,
        following playlist: MediaPlaylist, window: Int, expired: [String], expiredKept: Int,
        origin: Int64, board: CaptionBoard
    ) throws(PipelineError) {
        self.language = language.code
        self.board = board
        self.origin = origin
        self.expiredKept = expiredKept
        self.expired = expired.map(Self.fileName)
        path = "\(directory)/\(files.captionsName(language.code))"
        try AtomicFile.makeDirectory(path)
        var mirror = playlist
        for index in mirror.segments.indices {
            mirror.segments[index].uri = Self.fileName(mirror.segments[index].uri)
            mirror.segments[index].initialization = nil
            mirror.segments[index].dateRanges = []
        }
        mirror.trailingDateRanges = []
        do throws(PlaylistError) {
            builder = try MediaPlaylistBuilder(resuming: mirror, window: window)
        } catch {
            throw .settings("captions in \(language.code): \(error)")
        }
        let earlier = try Self.earlier(mirror.segments.map(\.uri), in: path)
        placer = CaptionPlacer(after: earlier)
        newest = earlier?.number ?? 0
        if !mirror.segments.isEmpty { try writePlaylist() }
    }

    /// `segment_000017.ts` → `segment_000017.vtt`.
    private static func fileName(_ segment: String) -> String {
        segment.prefix { $0 != "." } + ".vtt"
    }

    /// The progress of the last bot. It may have died between publishing a segment and its
    /// captions: that segment gets none, and its captions come with the next one.
    private static func earlier(
        _ names: [String], in path: String
    ) throws(PipelineError) -> CaptionPlacer.Progress? {
        guard let found = names.lastIndex(where: { StreamFolder.isThere("\(path)/\($0)") }) else {
            try writeEmpty(names[...], nil, in: path)
            return nil
        }
        let bytes = try? StreamFolder.read("\(path)/\(names[found])", first: headBytes)
        let progress = bytes.flatMap {
            CaptionPlacer.Progress(segment: String(decoding: $0, as: UTF8.self))
        }
        try writeEmpty(names[(found + 1)...], progress, in: path)
        return progress
    }

    private static func writeEmpty(
        _ names: ArraySlice<String>, _ progress: CaptionPlacer.Progress?, in path: String
    ) throws(PipelineError) {
        for name in names {
            try AtomicFile.write(
                WebVTT.rendered([], note: progress?.note), to: name, in: path)
        }
    }

    /// Writes the captions of a segment that the layer has just listed, and lists them.
    mutating func publish(
        _ segment: Segment, place: LayerDirectory.Place
    ) throws(PipelineError) {
        let news: ArraySlice<Caption>
        do throws(RecordingError) {
            news = try board.captions(after: taken)
        } catch {
            throw PipelineError(error)
        }
        for caption in news {
            taken += 1
            newest = max(newest, caption.number)
            if caption.language == language { placer.add(caption.entry) }
        }
        let start = Self.milliseconds(place.programDateTime)
        let length = segment.duration.rescaled(to: 1000).ticks
        let end = start + max(1, length)
        let zero = Self.milliseconds(place.epoch)
        let cues = placer.close(start..<end).map { entry in
            WebVTT.Cue(
                start: max(0, entry.start - zero), end: entry.end - zero, text: entry.text,
                speaker: entry.speaker, number: entry.number)
        }
        let text = WebVTT.rendered(
            cues, map: WebVTT.TimestampMap(local: start - zero, origin: origin),
            note: CaptionPlacer.Progress(number: newest, until: end).note)
        var listed = segment
        listed.uri = Self.fileName(segment.uri)
        listed.initialization = nil
        listed.dateRanges = []
        try AtomicFile.write(text, to: listed.uri, in: path)
        do throws(PlaylistError) {
            expired += try builder.add(listed).map(\.uri)
        } catch {
            throw .settings("captions \(listed.uri): \(error)")
        }
        try writePlaylist()
        while expired.count > expiredKept { unlink("\(path)/\(expired.removeFirst())") }
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Int64 { nanoseconds / 1_000_000 }

    mutating func end() throws(PipelineError) {
        builder.end()
        try writePlaylist()
    }

    private func writePlaylist() throws(PipelineError) {
        try AtomicFile.write(builder.rendered(), to: StreamFolder.playlistName, in: path)
    }
}

extension ContainerFiles {
    func captionsName(_ language: String) -> String {
        isBeside
            ? StreamFolder.besideCaptionsName(language) : StreamFolder.captionsName(language)
    }

    /// The entries of the master playlist.
    func subtitles(_ languages: [CaptionLanguage]) -> [SubtitleRendition] {
        languages.map {
            SubtitleRendition(
                language: $0.code, name: $0.name,
                uri: "\(captionsName($0.code))/\(StreamFolder.playlistName)")
        }
    }
}
