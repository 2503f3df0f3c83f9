/// Everything before the media: `ftyp`, `moov` and the head of `mdat`.
struct MovieHeader {
    let bytes: [UInt8]

    /// Ticks per second of times that concern all tracks: exact for samples at 48 kHz and for
    /// frames at all rates in use.
    static let timescale: UInt64 = 240_000
    /// Seconds from 1904, the origin of MP4 times, to 1970.
    private static let epoch: Int64 = 2_082_844_800
    /// No rotation, no scaling: 16.16 and, in the last column, 2.30 fixed point.
    private static let matrix: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

    private struct Track {
        var id: UInt32
        var timescale: UInt32
        /// In the track's ticks.
        var duration: UInt64
        /// In the movie's ticks: the length of the initial pause, and of the rest.
        var silence: UInt64
        var shown: UInt64
        /// In the track's ticks: the beginning of the rest.
        var mediaStart: UInt64

        /// The track's length in the movie.
        var movieDuration: UInt64 { silence + shown }
        var needsEdits: Bool { silence > 0 || mediaStart > 0 }
    }

    init(
        pictures: PictureTrack?, sound: SoundTrack?, createdAt: Int64, mediaByteCount: UInt64
    ) {
        let video = pictures.map(Self.track)
        let audio = sound.map { Self.track($0, limit: video?.movieDuration) }
        let created = UInt64(max(0, createdAt + Self.epoch))
        let isLongMedia = mediaByteCount + 16 > UInt64(UInt32.max)
        func moov(mediaOffset: UInt64, hasLongOffsets: Bool) -> [UInt8] {
            var writer = BoxWriter()
            writer.box("moov") {
                Self.writeMovieHeader(
                    duration: max(video?.movieDuration ?? 0, audio?.movieDuration ?? 0),
                    created: created, to: &$0)
                if let pictures, let video {
                    Self.write(video, created, "vide", pictures.width, pictures.height, to: &$0) {
                        $0.fullBox("vmhd", flags: 1) { $0.zeros(8) }
                        Self.writeDataReference(to: &$0)
                        pictures.table.write(
                            to: &$0, mediaOffset: mediaOffset, hasLongOffsets: hasLongOffsets,
                            descriptions: pictures.writeDescriptions)
                    }
                }
                if let sound, let audio {
                    Self.write(audio, created, "soun", 0, 0, to: &$0) {
                        $0.fullBox("smhd") { $0.zeros(4) }
                        Self.writeDataReference(to: &$0)
                        sound.table.write(
                            to: &$0, mediaOffset: mediaOffset, hasLongOffsets: hasLongOffsets,
                            descriptions: sound.writeDescriptions)
                    }
                }
            }
            return writer.bytes
        }
        let type = Self.fileType(hasPictures: pictures != nil)
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

    private static func movieTicks(_ ticks: UInt64, of timescale: UInt32) -> UInt64 {
        (ticks * Self.timescale + UInt64(timescale) / 2) / UInt64(timescale)
    }

    /// The first picture is shown at once, though decoding runs ahead of it.
    private static func track(_ pictures: PictureTrack) -> Track {
        Track(
            id: 1, timescale: pictures.timescale, duration: pictures.duration, silence: 0,
            shown: movieTicks(pictures.duration, of: pictures.timescale),
            mediaStart: UInt64(pictures.delay) * UInt64(PictureTrack.ticksPerFrame))
    }

    /// The encoder's run-up is not heard, nor is sound after the last picture.
    private static func track(_ sound: SoundTrack, limit: UInt64?) -> Track {
        let silence = movieTicks(UInt64(max(0, sound.start)), of: sound.timescale)
        let skipped = min(UInt64(max(0, -sound.start)), sound.duration)
        let shown = movieTicks(sound.duration - skipped, of: sound.timescale)
        let room = limit.map { $0 > silence ? $0 - silence : 0 } ?? shown
        return Track(
            id: 2, timescale: sound.timescale, duration: sound.duration, silence: silence,
            shown: min(shown, room), mediaStart: skipped)
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

    private static func writeMovieHeader(
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

    private static func write(
        _ track: Track, _ created: UInt64, _ handler: StaticString, _ width: UInt16,
        _ height: UInt16,
        to writer: inout BoxWriter, media: (inout BoxWriter) -> Void
    ) {
        let isLong =
            max(track.movieDuration, track.duration, created) > UInt64(UInt32.max)
        writer.box("trak") {
            // Enabled and in the movie.
            $0.fullBox("tkhd", version: isLong ? 1 : 0, flags: 3) {
                $0.write(created, isLong: isLong)
                $0.write(created, isLong: isLong)
                $0.write(track.id)
                $0.zeros(4)
                $0.write(track.movieDuration, isLong: isLong)
                $0.zeros(12)
                $0.write(UInt16(width == 0 ? 0x100 : 0))  // volume
                $0.zeros(2)
                for value in matrix { $0.write(value) }
                $0.write(UInt32(width) << 16)
                $0.write(UInt32(height) << 16)
            }
            if track.needsEdits { writeEdits(of: track, to: &$0) }
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
                $0.box("minf", media)
            }
        }
    }

    /// Sect. 8.6.6: what is presented from when on, at normal speed.
    private static func writeEdits(of track: Track, to writer: inout BoxWriter) {
        let isLong = max(track.movieDuration, track.mediaStart) > UInt64(Int32.max)
        writer.box("edts") {
            $0.fullBox("elst", version: isLong ? 1 : 0) {
                $0.write(UInt32(track.silence > 0 ? 2 : 1))
                if track.silence > 0 {
                    $0.write(track.silence, isLong: isLong)
                    $0.write(isLong ? UInt64.max : UInt64(UInt32.max), isLong: isLong)
                    $0.write(UInt32(0x1_0000))
                }
                $0.write(track.shown, isLong: isLong)
                $0.write(track.mediaStart, isLong: isLong)
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
