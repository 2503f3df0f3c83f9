/// Reads fragments back: a segment's `moof` boxes and the places of their samples. Other boxes are
/// skipped. Never reads out of bounds, whatever the bytes are.
///
/// Reads what ``MovieFragment`` writes: one run for each track and fragment, offsets from the
/// `moof` box, sizes in the run.
public struct FragmentReader: Sendable {
    public struct Sample: Hashable, Sendable {
        /// In the segment.
        public var bytes: Range<Int>
        /// In ticks of the track.
        public var decodingTime: UInt64
        public var duration: UInt32
        public var compositionOffset: UInt32
        public var isSync: Bool
    }

    /// No box, or not one of ours, at this place of the segment.
    public struct Malformed: Error, Hashable {
        public var what: String
        public var offset: Int
    }

    /// In the order of the fragments.
    public private(set) var samples: [UInt32: [Sample]] = [:]
    private let bytes: [UInt8]
    /// Of all tracks.
    private var sampleCount = 0

    private static let trackBoxes: Set<String> = ["tfhd", "tfdt", "trun"]

    /// Samples of one segment: far more than 20 s at 60 frames a second and their sound.
    static let samplesMaximum = 1 << 16

    /// - Throws: `Malformed`.
    public init(_ bytes: [UInt8]) throws(Malformed) {
        self.bytes = bytes
        var fragment: Range<Int>?
        var position = 0
        while let (type, box) = try nextBox(at: &position, before: bytes.count) {
            switch type {
            case "moof": fragment = box
            case "mdat":
                guard let moof = fragment else { throw malformed("mdat", at: box.lowerBound) }
                try readFragment(moof, media: box.lowerBound + 8..<box.upperBound)
                fragment = nil
            default: break
            }
        }
        if let fragment { throw malformed("moof", at: fragment.lowerBound) }
    }

    private func malformed(_ what: String, at offset: Int) -> Malformed {
        Malformed(what: what, offset: offset)
    }

    /// The box at a position, with its head; nil at the end, which the last box reaches exactly.
    private func nextBox(
        at position: inout Int, before end: Int
    ) throws(Malformed) -> (type: String, box: Range<Int>)? {
        guard position < end else { return nil }
        guard end - position >= 8 else { throw malformed("box", at: position) }
        let size = Int(word(at: position))
        guard size >= 8, size <= end - position else { throw malformed("box", at: position) }
        let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
        defer { position += size }
        return (type, position..<position + size)
    }

    private func word(at position: Int) -> UInt32 {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func readFragment(
        _ moof: Range<Int>, media: Range<Int>
    ) throws(Malformed) {
        var position = moof.lowerBound + 8
        while let (type, box) = try nextBox(at: &position, before: moof.upperBound) {
            if type == "traf" { try readTrack(box, moof: moof.lowerBound, media: media) }
        }
    }

    /// The content of a box behind its version and flags, read word by word.
    private struct Fields {
        let flags: UInt32
        private let bytes: ArraySlice<UInt8>
        private var position: Int

        init?(_ bytes: [UInt8], _ box: Range<Int>) {
            guard box.count >= 12 else { return nil }
            self.bytes = bytes[box]
            flags = bytes[box.lowerBound + 9..<box.lowerBound + 12].reduce(0) {
                $0 << 8 | UInt32($1)
            }
            position = box.lowerBound + 12
        }

        mutating func word() -> UInt32? {
            guard bytes.endIndex - position >= 4 else { return nil }
            defer { position += 4 }
            return bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }

        mutating func word(if flag: UInt32, else standard: UInt32) -> UInt32? {
            flags & flag != 0 ? word() : standard
        }

        mutating func long() -> UInt64? {
            guard let high = word(), let low = word() else { return nil }
            return UInt64(high) << 32 | UInt64(low)
        }

        var isAtEnd: Bool { position == bytes.endIndex }
    }

    private mutating func readTrack(
        _ traf: Range<Int>, moof: Int, media: Range<Int>
    ) throws(Malformed) {
        var inner: [String: Range<Int>] = [:]
        var position = traf.lowerBound + 8
        while let (type, box) = try nextBox(at: &position, before: traf.upperBound) {
            if Self.trackBoxes.contains(type), inner[type] == nil { inner[type] = box }
        }
        func fields(_ type: String) throws(Malformed) -> Fields {
            guard let box = inner[type], let fields = Fields(bytes, box)
            else { throw malformed(type, at: traf.lowerBound) }
            return fields
        }
        var head = try fields("tfhd")
        var time = try fields("tfdt")
        var run = try fields("trun")
        guard head.flags == MovieFragment.headerFlags, let track = head.word(),
            let duration = head.word(), let flags = head.word(), head.isAtEnd,
            let start = time.long(), time.isAtEnd, start < 1 << 62
        else { throw malformed("tfhd", at: traf.lowerBound) }
        typealias Flag = MovieFragment.RunFlag
        guard run.flags & (Flag.dataOffset | Flag.sizes) == Flag.dataOffset | Flag.sizes,
            let count = run.word(), let offset = run.word(),
            var first = run.word(if: Flag.firstFlags, else: flags),
            count <= Self.samplesMaximum, sampleCount + Int(count) <= Self.samplesMaximum
        else { throw malformed("trun", at: traf.lowerBound) }
        sampleCount += Int(count)
        var place = moof + Int(offset)
        var decoding = start
        for _ in 0..<count {
            guard let length = run.word(if: Flag.durations, else: duration),
                let size = run.word(), let bits = run.word(if: Flag.flags, else: first),
                let composition = run.word(if: Flag.compositionOffsets, else: 0),
                place >= media.lowerBound, Int(size) <= media.upperBound - place
            else { throw malformed("sample", at: traf.lowerBound) }
            samples[track, default: []].append(
                Sample(
                    bytes: place..<place + Int(size), decodingTime: decoding, duration: length,
                    compositionOffset: composition, isSync: bits & 0x1_0000 == 0))
            place += Int(size)
            decoding += UInt64(length)
            first = flags
        }
        guard run.isAtEnd else { throw malformed("trun", at: traf.lowerBound) }
    }
}
