import Codec
import Compositor
import Recording

/// The sum of several tracks' sound on the common clock, block by block. Only parts that sound are
/// open.
struct SoundMix {
    /// The parts that are still to come, the first one last.
    private var waiting: [RecordedPart]
    private var open: [PartSound] = []
    private var mixer = AudioMixer()

    /// Blocks come out late by this, in samples.
    static let latency = Int64(AudioMixer.latency)

    init(_ parts: [RecordedPart]) {
        waiting = parts.sorted { $0.start(in: Self.rate) > $1.start(in: Self.rate) }
    }

    private static let rate = SoundReader.sampleRate

    /// - Parameters:
    ///   - index: of the first sample that goes in; the end of the last block.
    ///   - count: pairs.
    /// - Throws: `RecordingError`, `CodecError`.
    mutating func block(at index: Int64, count: Int) throws -> [Float] {
        while let part = waiting.last, part.start(in: Self.rate) < index + Int64(count) {
            open.append(try PartSound(part))
            waiting.removeLast()
        }
        var sources: [[Float]] = []
        for part in open {
            var block = [Float](repeating: 0, count: count * AudioMixer.channels)
            try part.add(to: &block, at: index)
            sources.append(block)
        }
        open.removeAll(where: \.isOver)
        return mixer.mix(sources: sources, frames: count)
    }
}
