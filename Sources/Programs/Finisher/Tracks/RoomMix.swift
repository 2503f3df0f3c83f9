import Catalogue
import Recording

/// The sound of all recorded tracks in one file, for transcription: from the recording's beginning
/// on, so that a time in it is one of the common clock.
struct RoomMix {
    let sounds: [RecordedPart]
    let order: MixOrder

    struct Result {
        /// In milliseconds.
        var duration: Int64
        var size: MeteredFile.Size
        var channels: Int
        /// The peers on the left of two channels.
        var left: [String]?
    }

    private static let blockSamples = 4800
    private static let rate = SoundReader.sampleRate

    private var isNarrow: Bool { order.sampleRate < Int(Self.rate) }

    private var channels: Int { order.isDual || !isNarrow ? 2 : 1 }

    /// Of the named peer or role, or else of whoever is heard first.
    private var leftPeers: Set<String> {
        if let name = order.left {
            return Set(
                sounds.map(\.track).filter { [$0.peer, $0.name, $0.role].contains(name) }
                    .map(\.peer))
        }
        let first = sounds.min { $0.file.start < $1.file.start }
        return Set(first.map { [$0.track.peer] } ?? [])
    }

    /// - Throws: `RecordingError`, `CodecError`.
    func write(to place: RecordingAssets.Place, progress: () -> Void) throws -> Result {
        let left = leftPeers
        var sides =
            order.isDual
            ? [
                SoundMix(sounds.filter { left.contains($0.track.peer) }),
                SoundMix(sounds.filter { !left.contains($0.track.peer) }),
            ] : [SoundMix(sounds)]
        let duration = sounds.map(\.end).max() ?? 0
        let file = try SoundFile(
            place, order.format, sampleRate: order.sampleRate, channels: channels,
            samples: duration * Int64(order.sampleRate) / 1000)
        var decimators = Array(repeating: Decimator(), count: channels)
        let end = duration * Self.rate / 1000 + SoundMix.latency
        var index: Int64 = 0
        // What the mix puts before the first sample.
        var early = Int(SoundMix.latency)
        while index < end {
            var blocks: [[Float]] = []
            for side in sides.indices {
                blocks.append(try sides[side].block(at: index, count: Self.blockSamples))
            }
            index += Int64(Self.blockSamples)
            let dropped = min(early, Self.blockSamples)
            early -= dropped
            var lanes = lanes(of: blocks).map { Array($0.dropFirst(dropped)) }
            if isNarrow {
                for lane in lanes.indices { lanes[lane] = decimators[lane].process(lanes[lane]) }
            }
            try file.write(Self.interleaved(lanes))
            progress()
        }
        if isNarrow {
            try file.write(
                Self.interleaved(decimators.indices.map { decimators[$0].flush() }))
        }
        return Result(
            duration: duration, size: try file.finish(), channels: channels,
            left: order.isDual ? left.sorted() : nil)
    }

    /// The channels of the file at 48 kHz.
    private func lanes(of blocks: [[Float]]) -> [[Float]] {
        if order.isDual || isNarrow { return blocks.map(Self.mono) }
        return (0..<2).map { side in
            stride(from: side, to: blocks[0].count, by: 2).map { blocks[0][$0] }
        }
    }

    private static func mono(_ pairs: [Float]) -> [Float] {
        stride(from: 0, to: pairs.count - 1, by: 2).map { (pairs[$0] + pairs[$0 + 1]) / 2 }
    }

    private static func interleaved(_ lanes: [[Float]]) -> [Float] {
        guard lanes.count > 1 else { return lanes[0] }
        var values: [Float] = []
        values.reserveCapacity(lanes[0].count * lanes.count)
        for index in lanes[0].indices { for lane in lanes { values.append(lane[index]) } }
        return values
    }
}
