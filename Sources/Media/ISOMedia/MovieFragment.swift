/// The boxes before the media of one fragment: `moof` and the head of `mdat`. The runs' samples
/// follow in their order. ISO/IEC 14496-12 sect. 8.8.
public struct MovieFragment: Hashable, Sendable {
    public struct Sample: Hashable, Sendable {
        public var byteCount: UInt32
        /// In ticks of the track.
        public var duration: UInt32
        /// From decoding to presentation, in ticks.
        public var compositionOffset: UInt32
        /// Decoding can start here.
        public var isSync: Bool

        public init(
            byteCount: UInt32, duration: UInt32, compositionOffset: UInt32 = 0, isSync: Bool = true
        ) {
            self.byteCount = byteCount
            self.duration = duration
            self.compositionOffset = compositionOffset
            self.isSync = isSync
        }
    }

    /// The samples of one track.
    public struct Run: Hashable, Sendable {
        public var track: UInt32
        /// Of the first sample, in ticks.
        public var decodingTime: UInt64
        public var samples: [Sample]

        public init(track: UInt32, decodingTime: UInt64, samples: [Sample]) {
            self.track = track
            self.decodingTime = decodingTime
            self.samples = samples
        }

        var byteCount: UInt64 { samples.reduce(0) { $0 + UInt64($1.byteCount) } }
    }

    /// Rises from fragment to fragment.
    public var number: UInt32
    /// None is empty.
    public var runs: [Run]

    /// `tfhd`: offsets are counted from the `moof` box; the defaults for duration and flags follow.
    static let headerFlags: UInt32 = 0x2_0000 | 0x8 | 0x20
    /// `sample_depends_on` 2 (no other), and 1 with `sample_is_non_sync_sample`. Sect. 8.8.3.1.
    static let syncFlags: UInt32 = 0x0200_0000
    static let otherFlags: UInt32 = 0x0101_0000

    /// What `trun` has of each sample, besides its size.
    enum RunFlag {
        static let dataOffset: UInt32 = 0x1
        static let firstFlags: UInt32 = 0x4
        static let durations: UInt32 = 0x100
        static let sizes: UInt32 = 0x200
        static let flags: UInt32 = 0x400
        static let compositionOffsets: UInt32 = 0x800
    }

    public init(number: UInt32, runs: [Run]) {
        self.number = number
        self.runs = runs
    }

    public func rendered() -> [UInt8] {
        // The offsets do not change the box's length.
        let length = moof(mediaOffset: 0).count
        var writer = BoxWriter()
        writer.write(moof(mediaOffset: UInt64(length) + 8))
        writer.write(UInt32(clamping: runs.reduce(8) { $0 + $1.byteCount }))
        writer.write(text: "mdat")
        return writer.bytes
    }

    private func moof(mediaOffset: UInt64) -> [UInt8] {
        var writer = BoxWriter()
        var offset = mediaOffset
        writer.box("moof") {
            $0.fullBox("mfhd") { $0.write(number) }
            for run in runs {
                Self.write(run, offset: UInt32(clamping: offset), to: &$0)
                offset += run.byteCount
            }
        }
        return writer.bytes
    }

    private static func write(_ run: Run, offset: UInt32, to writer: inout BoxWriter) {
        let samples = run.samples
        let duration = samples.first?.duration ?? 0
        // Usually only the first picture is a key frame, and every block of sound is.
        let rest = samples.dropFirst()
        let standard = rest.first?.isSync ?? true
        let first = samples.first?.isSync ?? true
        var flags = RunFlag.dataOffset | RunFlag.sizes
        if rest.contains(where: { $0.isSync != standard }) {
            flags |= RunFlag.flags
        } else if first != standard {
            flags |= RunFlag.firstFlags
        }
        if rest.contains(where: { $0.duration != duration }) { flags |= RunFlag.durations }
        if samples.contains(where: { $0.compositionOffset != 0 }) {
            flags |= RunFlag.compositionOffsets
        }
        func bits(_ isSync: Bool) -> UInt32 { isSync ? syncFlags : otherFlags }
        writer.box("traf") {
            $0.fullBox("tfhd", flags: headerFlags) {
                $0.write(run.track)
                $0.write(duration)
                $0.write(bits(standard))
            }
            $0.fullBox("tfdt", version: 1) { $0.write(run.decodingTime) }
            $0.fullBox("trun", flags: flags) {
                $0.write(UInt32(samples.count))
                $0.write(offset)
                if flags & RunFlag.firstFlags != 0 { $0.write(bits(first)) }
                for sample in samples {
                    if flags & RunFlag.durations != 0 { $0.write(sample.duration) }
                    $0.write(sample.byteCount)
                    if flags & RunFlag.flags != 0 { $0.write(bits(sample.isSync)) }
                    if flags & RunFlag.compositionOffsets != 0 {
                        $0.write(sample.compositionOffset)
                    }
                }
            }
        }
    }
}
