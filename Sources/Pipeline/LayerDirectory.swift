import Glibc
import HLS
import MediaKernel

/// One layer on disk: its segments and its media playlist. A playlist never names a file that is
/// not there yet. Owned by the layer's thread.
struct LayerDirectory {
    /// Bytes of a playlist left by an earlier run that are read back: a day of 2-s segments.
    static let playlistBytesMaximum = 16 << 20
    static let playlistName = "stream.m3u8"
    /// Segments that left the live window stay for so many more, since a player may still hold an
    /// old playlist. RFC 8216 sect. 6.2.2.
    static let expiredSegmentsKept = 8

    let path: String
    private var builder: MediaPlaylistBuilder
    private var expired: [String] = []

    static func name(ofLayer index: Int) -> String { "stream_\(index)" }

    /// Makes the directory, or goes on with what an earlier run of the same stream left.
    init(
        layer index: Int, in directory: String, mode: PlaylistMode, planner: SegmentPlanner
    ) throws(PipelineError) {
        path = "\(directory)/\(Self.name(ofLayer: index))"
        try AtomicFile.makeDirectory(path)
        builder = MediaPlaylistBuilder(mode: mode, targetDuration: planner.targetDuration)
        if let bytes = AtomicFile.read(
            "\(path)/\(Self.playlistName)", maximumBytes: Self.playlistBytesMaximum),
            let earlier = try? MediaPlaylist(parsing: String(decoding: bytes, as: UTF8.self)),
            let resumed = try? MediaPlaylistBuilder(resuming: earlier, window: mode.window)
        {
            builder = resumed
        }
    }

    /// Number of the next segment, counted over all runs of the stream.
    var nextIndex: Int { builder.nextMediaSequence }

    /// Puts a segment on disk and into the playlist, in that order. Gives its number.
    mutating func publish(
        _ bytes: [UInt8], duration: MediaTime, programDateTime: Int64
    ) throws(PipelineError) -> Int {
        let index = nextIndex
        let digits = String(index)
        let name = "segment_\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).ts"
        try AtomicFile.write(bytes, to: name, in: path)
        do throws(PlaylistError) {
            let dropped = try builder.add(
                Segment(
                    uri: name, duration: duration, programDateTime: programDateTime,
                    byteCount: bytes.count))
            expired += dropped.map(\.uri)
        } catch {
            throw .settings("segment \(index): \(error)")
        }
        try writePlaylist()
        while expired.count > Self.expiredSegmentsKept {
            unlink("\(path)/\(expired.removeFirst())")
        }
        return index
    }

    /// Says that no segment will follow.
    mutating func end() throws(PipelineError) {
        builder.end()
        try writePlaylist()
    }

    private func writePlaylist() throws(PipelineError) {
        try AtomicFile.write(builder.rendered(), to: Self.playlistName, in: path)
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
