/// The content of the `stbl` box for one track's samples. ISO/IEC 14496-12 sect. 8.5 to 8.7.
public struct SampleTable: Hashable, Sendable {
    /// Samples that are stored together.
    struct Chunk: Hashable, Sendable {
        var sampleCount: UInt32
        /// The number of a sample description, counted from 1.
        var description: UInt32
        /// Counted from the first byte of media.
        var offset: UInt64
    }

    public var sizes: [UInt32] = []
    public var durations = RunLengths()
    /// From decoding to presentation, shifted so that none is negative.
    public var compositionOffsets = RunLengths()
    /// The numbers, counted from 1, of samples at which decoding can start; nil for all.
    public var syncSamples: [UInt32]?
    private(set) var chunks: [Chunk] = []

    public init() {}

    /// - Parameters:
    ///   - size: in bytes.
    ///   - isSync: whether decoding can start at it; irrelevant while `syncSamples` is nil.
    public mutating func addSample(_ size: UInt32, isSync: Bool) {
        sizes.append(size)
        if isSync { syncSamples?.append(UInt32(sizes.count)) }
    }

    /// - Returns: the chunk's bytes.
    public mutating func addChunk(_ sizes: [UInt32], description: UInt32, at offset: UInt64)
        -> UInt64
    {
        guard !sizes.isEmpty else { return 0 }
        chunks.append(
            Chunk(
                sampleCount: UInt32(sizes.count), description: description, offset: offset))
        return sizes.reduce(0) { $0 + UInt64($1) }
    }

    /// Sets the times of pictures, which are decoded in the order of their times.
    ///
    /// - Parameters:
    ///   - shown: when each is shown, in ticks from the track's beginning.
    ///   - end: of the last one.
    /// - Returns: by how many ticks decoding is early, where a sender reorders pictures.
    public mutating func setTimes(shown: [Int64], end: Int64) -> Int64 {
        let sorted = shown.sorted()
        let delay = zip(sorted, shown).map { $0 - $1 }.max() ?? 0
        for index in sorted.indices {
            let next = index + 1 < sorted.count ? sorted[index + 1] : end
            durations.append(UInt32(clamping: next - sorted[index]))
            compositionOffsets.append(UInt32(clamping: shown[index] - sorted[index] + delay))
        }
        return delay
    }

    /// - Parameters:
    ///   - mediaOffset: of the first byte of media in the file.
    ///   - hasLongOffsets: whether chunks need 64 bits.
    func write(
        to writer: inout BoxWriter, mediaOffset: UInt64, hasLongOffsets: Bool,
        entries: [SampleEntry]
    ) {
        writer.box("stbl") {
            $0.fullBox("stsd") {
                $0.write(UInt32(entries.count))
                for entry in entries { entry.write(to: &$0) }
            }
            $0.fullBox("stts") { Self.write(durations, to: &$0) }
            if compositionOffsets.runs.contains(where: { $0.value != 0 }) {
                $0.fullBox("ctts") { Self.write(compositionOffsets, to: &$0) }
            }
            if let syncSamples {
                $0.fullBox("stss") {
                    $0.write(UInt32(syncSamples.count))
                    for number in syncSamples { $0.write(number) }
                }
            }
            $0.fullBox("stsc") { writeChunkMap(to: &$0) }
            $0.fullBox("stsz") {
                $0.write(UInt32(0))
                $0.write(UInt32(sizes.count))
                for size in sizes { $0.write(size) }
            }
            $0.fullBox(hasLongOffsets ? "co64" : "stco") {
                $0.write(UInt32(chunks.count))
                for chunk in chunks {
                    $0.write(chunk.offset + mediaOffset, isLong: hasLongOffsets)
                }
            }
        }
    }

    private static func write(_ lengths: RunLengths, to writer: inout BoxWriter) {
        writer.write(UInt32(lengths.runs.count))
        for run in lengths.runs {
            writer.write(run.count)
            writer.write(run.value)
        }
    }

    /// Only chunks that differ from the previous one are listed. Sect. 8.7.4.
    private func writeChunkMap(to writer: inout BoxWriter) {
        let named = chunks.indices.filter { index in
            guard index > 0 else { return true }
            let before = chunks[index - 1]
            return chunks[index].sampleCount != before.sampleCount
                || chunks[index].description != before.description
        }
        writer.write(UInt32(named.count))
        for index in named {
            writer.write(UInt32(index + 1))
            writer.write(chunks[index].sampleCount)
            writer.write(chunks[index].description)
        }
    }
}
