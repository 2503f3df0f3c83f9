import Codec

/// Replaces the missing packets of a voice: its decoder's concealment, held for a moment, then
/// faded to nothing. Owned by the director's thread.
///
/// The decoder sometimes makes more than it was asked for; the excess is kept, so that the sound
/// has no seam and the real sound can be blended in.
struct Concealment {
    /// Until the first it is as loud as the voice was; until the second it is heard at all: 40 ms,
    /// 120 ms.
    static let heldSamples = 1_920
    static let heardSamples = 5_760
    /// The real sound is blended in over 5 ms.
    static let blendSamples = 240
    /// The decoder is asked for 10 ms at a time.
    private static let step = 480

    /// Samples per channel since the last real one.
    private(set) var count = 0
    private var made: [Float] = []

    /// The next samples, interleaved.
    mutating func next(_ wanted: Int, from decoder: OpusDecoder) -> [Float] {
        // Inaudible samples need not be made.
        let audible = min(wanted, max(0, Self.heardSamples - count))
        while made.count < audible * 2 {
            guard let more = try? decoder.decodeLost(samples: Self.step), !more.isEmpty else {
                break
            }
            made += more
        }
        var block = Array(made.prefix(audible * 2))
        made.removeFirst(block.count)
        for n in 0..<block.count / 2 where count + n > Self.heldSamples {
            let gain =
                Float(Self.heardSamples - count - n)
                / Float(Self.heardSamples - Self.heldSamples)
            block[2 * n] *= gain
            block[2 * n + 1] *= gain
        }
        block.append(contentsOf: repeatElement(0, count: wanted * 2 - block.count))
        count += wanted
        return block
    }

    /// The real sound resumes: returns the samples to blend it with, which must be made before the
    /// decoder gets the packet. Empty if nothing was concealed.
    mutating func end(from decoder: OpusDecoder) -> [Float] {
        defer { self = Concealment() }
        return count > 0 ? next(Self.blendSamples, from: decoder) : []
    }

    /// Blends from the concealment to the real sound.
    static func blend(_ tail: [Float], into block: inout [Float]) {
        let length = min(tail.count, block.count) / 2
        for n in 0..<length {
            let share = Float(n + 1) / Float(length + 1)
            for channel in [2 * n, 2 * n + 1] {
                block[channel] = share * block[channel] + (1 - share) * tail[channel]
            }
        }
    }
}
