/// Everything before the media: `ftyp`, `moov` and the head of `mdat`.
public struct MovieHeader: Sendable {
    public let bytes: [UInt8]

    /// Ticks per second of times that concern all tracks: exact for samples at 48 kHz and for
    /// frames at all rates in use.
    static let timescale: UInt64 = 240_000
    /// Seconds from 1904, the origin of MP4 times, to 1970.
    private static let epoch: Int64 = 2_082_844_800
    /// No rotation, no scaling: 16.16 and, in the last column, 2.30 fixed point.
    private static let matrix: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

    /// Turns a picture clockwise and moves it back into the first quadrant. Sect. 6.2.2.
    private static func matrix(
        turning rotation: Int, width: UInt16, height: UInt16
    ) -> [UInt32] {
        let (one, minus): (UInt32, UInt32) = (0x1_0000, 0xFFFF_0000)
        let (right, down) = (UInt32(width) << 16, UInt32(height) << 16)
        return switch rotation {
        case 90: [0, one, 0, minus, 0, 0, down, 0, 0x4000_0000]
        case 180: [minus, 0, 0, 0, minus, 0, right, down, 0x4000_0000]
        case 270: [0, minus, 0, one, 0, 0, 0, right, 0x4000_0000]
        default: matrix
        }
    }

    struct Times {
        /// In the movie's ticks: the pause before the track, and what is shown of it.
        var pause: UInt64
        var shown: UInt64
        var needsEdits: Bool

        /// The end of the track in the movie.
        var end: UInt64 { pause + shown }
    }

    /// - Parameters:
    ///   - tracks: none is shown longer than the first one: there is no sound after the last picture.
    ///   - createdAt: seconds since 1970.
    ///   - mediaByteCount: the size of all samples.
    public init(tracks: [MovieTrack], createdAt: Int64, mediaByteCount: UInt64) {
        let limit = tracks.first.map { Self.times(of: $0).end }
        let timed = tracks.map { ($0, Self.times(of: $0, limit: limit)) }
        let created = UInt64(max(0, createdAt + Self.epoch))
        let isLongMedia = mediaByteCount + 16 > UInt64(UInt32.max)
        func moov(mediaOffset: UInt64, hasLongOffsets: Bool) -> [UInt8] {
            var writer = BoxWriter()
            writer.box("moov") {
                Self.writeMovieHeader(
                    duration: timed.map(\.1.end).max() ?? 0, created: created, to: &$0)
                for (track, times) in timed {
                    Self.write(
                        track, times, created, to: &$0, mediaOffset: mediaOffset,
                        hasLongOffsets: hasLongOffsets)
                }
            }
            return writer.bytes
        }
        let type = Self.fileType(hasPictures: tracks.contains { $0.kind != .audio })
        let mediaHead = isLongMedia ? 16 : 8
        // The offsets' width determines the header's length, and that determines the offsets: they
        // are long if the longer header makes the file too long for short ones.
        let long = UInt64(type.count + moov(mediaOffset: 0, hasLongOffsets: true).count)
        let hasLongOffsets = long + UInt64(mediaHead) + mediaByteCount > UInt64(UInt32.max)
        let length =
            hasLongOffsets
            ? long : UInt64(type.count + moov(mediaOffset: 0, hasLongOffsets: false).count)
        var writer = BoxWriter()
        writer.write(type)
        writer.write(
            moov(mediaOffset: length + UInt64(mediaHead), hasLongOffsets: hasLongOffsets))
        if isLongMedia {
            writer.write(UInt32(1))
            writer.write(text: "mdat")
            writer.write(mediaByteCount + 16)
        } else {
            writer.write(UInt32(mediaByteCount + 8))
            writer.write(text: "mdat")
        }
        bytes = writer.bytes
    }

    private static func times(of track: MovieTrack, limit: UInt64? = nil) -> Times {
        func movieTicks(_ ticks: UInt64) -> UInt64 {
            (ticks * timescale + UInt64(track.timescale) / 2) / UInt64(track.timescale)
        }
        let (pause, shown) = (movieTicks(track.pause), movieTicks(track.shown))
        let room = limit.map { $0 > pause ? $0 - pause : 0 } ?? shown
        return Times(
            pause: pause, shown: min(shown, room), needsEdits: pause > 0 || track.skipped > 0)
    }

    // MARK: Boxes

    private static func fileType(hasPictures: Bool) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("ftyp") {
            $0.write(text: hasPictures ? "isom" : "M4A ")
            $0.write(UInt32(512))
            $0.write(text: hasPictures ? "isomiso2avc1mp41" : "M4A isomiso2mp42")
        }
        return writer.bytes
    }

    static func writeMovieHeader(
        duration: UInt64, created: UInt64, to writer: inout BoxWriter
    ) {
        let isLong = duration > UInt64(UInt32.max) || created > UInt64(UInt32.max)
        writer.fullBox("mvhd", version: isLong ? 1 : 0) {
            $0.write(created, isLong: isLong)
            $0.write(created, isLong: isLong)
            $0.write(UInt32(timescale))
            $0.write(duration, isLong: isLong)
            $0.write(UInt32(0x1_0000))  // rate
            $0.write(UInt16(0x100))  // volume
            $0.zeros(10)
            for value in matrix { $0.write(value) }
            $0.zeros(24)
            $0.write(UInt32(3))  // the next track's id
        }
    }

    static func write(
        _ track: MovieTrack, _ times: Times, _ created: UInt64, to writer: inout BoxWriter,
        mediaOffset: UInt64, hasLongOffsets: Bool
    ) {
        let isLong = max(times.end, track.duration, created) > UInt64(UInt32.max)
        let (handler, volume, width, height): (StaticString, UInt16, UInt16, UInt16) =
            switch track.kind {
            case .video(let width, let height): ("vide", 0, width, height)
            case .audio: ("soun", 0x100, 0, 0)
            }
        writer.box("trak") {
            // Enabled and in the movie.
            $0.fullBox("tkhd", version: isLong ? 1 : 0, flags: 3) {
                $0.write(created, isLong: isLong)
                $0.write(created, isLong: isLong)
                $0.write(track.id)
                $0.zeros(4)
                $0.write(times.end, isLong: isLong)
                $0.zeros(12)
                $0.write(volume)
                $0.zeros(2)
                for value in matrix(turning: track.rotation, width: width, height: height) {
                    $0.write(value)
                }
                $0.write(UInt32(width) << 16)
                $0.write(UInt32(height) << 16)
            }
            if times.needsEdits { writeEdits(times, skipping: track.skipped, to: &$0) }
            $0.box("mdia") {
                $0.fullBox("mdhd", version: isLong ? 1 : 0) {
                    $0.write(created, isLong: isLong)
                    $0.write(created, isLong: isLong)
                    $0.write(track.timescale)
                    $0.write(track.duration, isLong: isLong)
                    $0.write(UInt16(0x55C4))  // "und", three letters of five bits
                    $0.zeros(2)
                }
                $0.fullBox("hdlr") {
                    $0.zeros(4)
                    $0.write(text: handler)
                    $0.zeros(12)
                    $0.write(text: "Roomcast\0")
                }
                $0.box("minf") {
                    switch track.kind {
                    case .video: $0.fullBox("vmhd", flags: 1) { $0.zeros(8) }
                    case .audio: $0.fullBox("smhd") { $0.zeros(4) }
                    }
                    writeDataReference(to: &$0)
                    track.table.write(
                        to: &$0, mediaOffset: mediaOffset, hasLongOffsets: hasLongOffsets,
                        entries: track.entries)
                }
            }
        }
    }

    /// Sect. 8.6.6: what is presented from when on, at normal speed.
    private static func writeEdits(
        _ times: Times, skipping skipped: UInt64, to writer: inout BoxWriter
    ) {
        let isLong = max(times.end, skipped) > UInt64(Int32.max)
        writer.box("edts") {
            $0.fullBox("elst", version: isLong ? 1 : 0) {
                $0.write(UInt32(times.pause > 0 ? 2 : 1))
                if times.pause > 0 {
                    $0.write(times.pause, isLong: isLong)
                    $0.write(isLong ? UInt64.max : UInt64(UInt32.max), isLong: isLong)
                    $0.write(UInt32(0x1_0000))
                }
                $0.write(times.shown, isLong: isLong)
                $0.write(skipped, isLong: isLong)
                $0.write(UInt32(0x1_0000))
            }
        }
    }

    /// The media is in this file itself. Sect. 8.7.2.
    private static func writeDataReference(to writer: inout BoxWriter) {
        writer.box("dinf") {
            $0.fullBox("dref") {
                $0.write(UInt32(1))
                $0.fullBox("url ", flags: 1) { _ in }
            }
        }
    }
}
