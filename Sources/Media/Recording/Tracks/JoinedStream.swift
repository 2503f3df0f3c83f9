import Matroska
import MediaKernel
import Ogg

/// The picture and the sound of one published stream in one file: a copy, not encoded anew.
///
/// A file has one codec and one rotation; with another one another file begins, which has the sound
/// from there on.
struct JoinedStream {
    /// One file.
    struct Take {
        var pictures: [RecordedPart]
        var sounds: [RecordedPart]
        /// In milliseconds of the common clock.
        var start: Int64
        /// Nil for the last one.
        var end: Int64?
    }

    struct Result {
        /// In milliseconds of the common clock.
        var start: Int64
        var end: Int64
        var size: MeteredFile.Size
    }

    let takes: [Take]

    init(_ parts: [RecordedPart]) {
        let parts = parts.sorted { $0.file.start < $1.file.start }
        let pictures = parts.filter { $0.format.codec.isVideo }
        let sounds = parts.filter { !$0.format.codec.isVideo }
        var takes: [Take] = []
        for part in pictures {
            if let last = takes.last?.pictures.last, last.format.continues(in: part.format) {
                takes[takes.count - 1].pictures.append(part)
                continue
            }
            if !takes.isEmpty { takes[takes.count - 1].end = part.file.start }
            takes.append(Take(pictures: [part], sounds: [], start: part.file.start))
        }
        if takes.isEmpty, let first = sounds.first {
            takes = [Take(pictures: [], sounds: [], start: first.file.start)]
        }
        if let first = sounds.first, !takes.isEmpty {
            takes[0].start = min(takes[0].start, first.file.start)
        }
        for index in takes.indices {
            let take = takes[index]
            takes[index].sounds = sounds.filter { part in
                part.end > take.start && (take.end.map { part.file.start < $0 } ?? true)
            }
        }
        self.takes = takes
    }

    /// Whether WebM has the codecs; if not, the file is Matroska.
    static func isWebM(_ take: Take) -> Bool { take.pictures.first?.format.codec != .h264 }

    /// - Throws: `.file`.
    static func write(
        _ take: Take, to place: RecordingAssets.Place, progress: () -> Void
    ) throws(RecordingError) -> Result? {
        var samples: [FinishedWebM.Sample] = []
        try forEachBlock(take) { (block) throws(RecordingError) in
            samples.append(
                FinishedWebM.Sample(
                    time: block.time, byteCount: block.bytes.count, isKeyframe: block.isKeyframe,
                    track: block.track))
            progress()
        }
        guard let last = samples.last else { return nil }
        let ends = (take.pictures + take.sounds).map { min($0.end, take.end ?? $0.end) }
        let duration = max(last.time + 1, (ends.max() ?? 0) - take.start)
        let layout = FinishedWebM(tracks(of: take), samples: samples, duration: duration)
        let file = try MeteredFile(place)
        try file.write(layout.header)
        var (index, cluster) = (0, 0)
        try forEachBlock(take) { (block) throws(RecordingError) in
            try file.write(layout.head(ofSample: index, cluster: &cluster))
            try file.write(block.bytes)
            index += 1
            progress()
        }
        return Result(start: take.start, end: take.start + duration, size: try file.finish())
    }

    /// The picture first. Parts of a smaller size are scaled by the player.
    private static func tracks(of take: Take) -> [MatroskaTrack] {
        var tracks: [MatroskaTrack] = []
        if var format = take.pictures.first?.format {
            format.width = take.pictures.map(\.format.width).max() ?? format.width
            format.height = take.pictures.map(\.format.height).max() ?? format.height
            tracks.append(format.matroska)
        }
        if let sound = take.sounds.max(by: { $0.format.channels < $1.format.channels }) {
            tracks.append(sound.format.matroska)
        }
        return tracks
    }

    private struct Block {
        var track: Int
        /// In milliseconds from the file's beginning.
        var time: Int64
        var isKeyframe: Bool
        var bytes: [UInt8]
    }

    /// Calls `body` for the blocks of both tracks in the order of their times.
    private static func forEachBlock(
        _ take: Take, _ body: (Block) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var pictures = PictureLine(take)
        var sounds = SoundLine(take)
        var picture = try pictures.next()
        var sound = try sounds.next()
        while picture != nil || sound != nil {
            if let block = picture, sound.map({ block.time <= $0.time }) ?? true {
                try body(block)
                picture = try pictures.next()
            } else if let block = sound {
                try body(block)
                sound = try sounds.next()
            }
        }
    }

    /// The pictures of a take, one part after the other.
    private struct PictureLine {
        private let take: Take
        private var rest: ArraySlice<RecordedPart>
        private var reader: PictureReader?
        private var last: Int64 = -1

        init(_ take: Take) {
            self.take = take
            rest = take.pictures[...]
        }

        mutating func next() throws(RecordingError) -> Block? {
            while true {
                while let picture = try reader?.next() {
                    // A part may begin before the last one has ended, and has its key frame there.
                    let time = max(
                        picture.place * 1000 / PictureReader.timescale - take.start, last + 1)
                    last = time
                    return Block(
                        track: 0, time: time, isKeyframe: picture.isKeyframe, bytes: picture.bytes)
                }
                guard let part = rest.popFirst() else { return nil }
                reader = try part.pictures()
            }
        }
    }

    /// The packets of a take on a time line without holes.
    private struct SoundLine {
        private let take: Take
        private let track: Int
        private var rest: ArraySlice<RecordedPart>
        private var reader: SoundReader?
        private var isStereo = false
        /// Where the reader's next packet belongs, in samples from the file's beginning.
        private var place: Int64 = 0
        private var placement = OpusPlacement()
        /// Packets of silence to come, before this packet.
        private var silences = 0
        private var waiting: (bytes: [UInt8], samples: Int64)?
        /// Where the next block begins.
        private var end: Int64 = 0

        init(_ take: Take) {
            self.take = take
            track = take.pictures.isEmpty ? 0 : 1
            rest = take.sounds[...]
        }

        mutating func next() throws(RecordingError) -> Block? {
            while true {
                if silences > 0 {
                    silences -= 1
                    return block(
                        OpusPacket.silence(isStereo: isStereo), OpusPacket.silenceSamples)
                }
                if let (bytes, samples) = waiting {
                    waiting = nil
                    return block(bytes, samples)
                }
                guard try advance() else { return nil }
            }
        }

        private mutating func block(_ bytes: [UInt8], _ samples: Int64) -> Block {
            defer { end += samples }
            let time = (end * 1000 + SoundReader.sampleRate / 2) / SoundReader.sampleRate
            return Block(track: track, time: time, isKeyframe: true, bytes: bytes)
        }

        /// Takes the next piece that belongs to the take.
        ///
        /// - Returns: false at the end.
        private mutating func advance() throws(RecordingError) -> Bool {
            guard let piece = try reader?.next() else {
                guard let part = rest.popFirst() else { return false }
                reader = try part.sound()
                isStereo = part.format.channels == 2
                place =
                    part.start(in: SoundReader.sampleRate)
                    - take.start * SoundReader.sampleRate / 1000
                return true
            }
            switch piece {
            case .silence(let samples): place += samples
            case .packet(let bytes, let samples):
                defer { place += samples }
                let limit = take.end.map { ($0 - take.start) * SoundReader.sampleRate / 1000 }
                guard place > -samples, limit.map({ place < $0 }) ?? true else { return true }
                let found = placement.place(at: max(0, place), samples: samples)
                guard !found.isLeftOut else { return true }
                silences = found.silences
                waiting = (bytes, samples)
            }
            return true
        }
    }
}

extension TrackFormat {
    /// Whether pictures of the other format can follow in the same track. The decoders of the codecs
    /// of WebM find the size in each key frame.
    fileprivate func continues(in next: TrackFormat) -> Bool {
        codec == next.codec && rotation == next.rotation
            && (codec != .h264 || configuration == next.configuration)
    }
}
