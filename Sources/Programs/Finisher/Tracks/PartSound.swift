import Codec
import Recording

/// Decodes the sound of one part of a track, sample by sample on the common clock.
final class PartSound {
    private let reader: SoundReader
    private let decoder: OpusDecoder
    /// Decoded pairs, and how many of them are taken.
    private var pairs: [Float] = []
    private var taken = 0
    /// Samples of silence that follow them.
    private var silence: Int64 = 0
    /// Samples of the decoder's delay that are still to be dropped.
    private var delay = SoundReader.lookahead
    /// Of the next sample.
    private var position: Int64
    private(set) var isOver = false

    /// - Throws: `RecordingError`, `CodecError`.
    init(_ part: RecordedPart) throws {
        reader = try part.sound()
        decoder = try OpusDecoder()
        position = part.start(in: SoundReader.sampleRate)
    }

    /// Adds the sound to a block of pairs.
    ///
    /// - Parameter index: of the block's first sample; at least the end of the last block.
    /// - Throws: `RecordingError`.
    func add(to block: inout [Float], at index: Int64) throws {
        let end = index + Int64(block.count / OpusDecoder.channels)
        while position < end, !isOver {
            if taken < pairs.count {
                let count = min(Int64((pairs.count - taken) / 2), end - position)
                // The part may have begun before the first block.
                for step in max(0, index - position)..<max(count, max(0, index - position)) {
                    let (from, to) = (taken + Int(step) * 2, Int(position + step - index) * 2)
                    block[to] += pairs[from]
                    block[to + 1] += pairs[from + 1]
                }
                taken += Int(count) * 2
                position += count
            } else if silence > 0 {
                let count = min(silence, end - position)
                silence -= count
                position += count
            } else {
                try load()
            }
        }
    }

    private func load() throws {
        switch try reader.next() {
        case nil: isOver = true
        case .silence(let samples)?: silence = samples
        case .packet(let packet, let samples)?:
            let count = Int(samples) * OpusDecoder.channels
            // A damaged packet is silent.
            pairs = (try? decoder.decode(packet)) ?? []
            if pairs.count > count { pairs.removeLast(pairs.count - count) }
            pairs += repeatElement(0, count: count - pairs.count)
            let dropped = min(delay, samples)
            delay -= dropped
            taken = Int(dropped) * OpusDecoder.channels
        }
    }
}
