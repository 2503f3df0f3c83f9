/// Stereo samples of one track between its decoder and the mixer, interleaved.
///
/// No edge clicks: wherever sound begins, ends, or continues at another place, it is faded. If its
/// end has already been pulled, the last value is faded instead, which is practically continuous.
struct SampleQueue {
    /// 5 ms: too short to be heard as a fade, long enough not to be heard as a click.
    static let fadeSamples = 240
    /// Per channel. The timeline never asks for more silence than 2 s at a time; a sender that
    /// runs further ahead is cut.
    static let samplesMaximum = 48_000 * 4

    /// A value fading to zero, to be added to the next samples.
    private struct Residue {
        var left: Float = 0
        var right: Float = 0
        /// Samples until it is zero, of `fadeSamples`.
        var remaining = 0
    }

    private var samples: [Float] = []
    private var head = 0
    /// The last samples given to the mixer.
    private var last: (left: Float, right: Float) = (0, 0)
    private var residue = Residue()
    /// Samples of the fade-in that are still to come.
    private var fadeIn = fadeSamples

    /// Samples per channel.
    var count: Int { (samples.count - head) / 2 }

    /// Appends samples that continue the previous ones.
    ///
    /// - Returns: samples per channel that the full queue has refused.
    @discardableResult
    mutating func append(_ block: [Float]) -> Int {
        let start = samples.count
        let room = (Self.samplesMaximum - count) * 2
        samples.append(contentsOf: block.prefix(max(0, room)))
        let ramp = min(fadeIn, (samples.count - start) / 2)
        for n in 0..<ramp {
            let gain = Float(Self.fadeSamples - fadeIn + n + 1) / Float(Self.fadeSamples + 1)
            samples[start + 2 * n] *= gain
            samples[start + 2 * n + 1] *= gain
        }
        fadeIn -= ramp
        addResidue(from: start)
        let refused = (block.count - (samples.count - start)) / 2
        if refused > 0 { breakOff() }
        return refused
    }

    /// - Returns: samples per channel that the full queue has refused.
    @discardableResult
    mutating func appendSilence(_ count: Int) -> Int {
        let fitting = min(count, Self.samplesMaximum - self.count)
        guard fitting > 0 else { return max(0, count) }
        breakOff()
        let start = samples.count
        samples.append(contentsOf: repeatElement(0, count: fitting * 2))
        addResidue(from: start)
        return count - fitting
    }

    /// The next samples do not continue the previous ones, which are faded out.
    mutating func breakOff() {
        // Nothing was appended since the last time.
        guard fadeIn < Self.fadeSamples else { return }
        fadeOut()
    }

    /// Drops the waiting samples except for the fade that ends them.
    mutating func cut() {
        samples.removeLast(max(0, count - Self.fadeSamples) * 2)
        fadeOut()
    }

    private mutating func fadeOut() {
        fadeIn = Self.fadeSamples
        let tail = min(Self.fadeSamples, count)
        let start = samples.count - 2 * tail
        for n in 0..<tail {
            let gain = Self.fadeOutGain(n)
            samples[start + 2 * n] *= gain
            samples[start + 2 * n + 1] *= gain
        }
        // The last value without its gain, faded to zero.
        let end = tail > 0 ? (samples[samples.count - 2], samples[samples.count - 1]) : last
        let gain = tail > 0 ? Self.fadeOutGain(tail - 1) : 1
        guard tail < Self.fadeSamples, gain > 0 else { return }
        residue = Residue(
            left: end.0 / gain, right: end.1 / gain, remaining: Self.fadeSamples - tail)
    }

    private static func fadeOutGain(_ n: Int) -> Float {
        Float(fadeSamples - n) / Float(fadeSamples + 1)
    }

    private mutating func addResidue(from start: Int) {
        let length = min(residue.remaining, (samples.count - start) / 2)
        for n in 0..<length {
            let gain = Self.fadeOutGain(Self.fadeSamples - residue.remaining + n)
            samples[start + 2 * n] += residue.left * gain
            samples[start + 2 * n + 1] += residue.right * gain
        }
        residue.remaining -= length
    }

    /// Takes `wanted` samples per channel, with silence where there are not enough. Nil when there
    /// are none at all, so that a silent track costs the mixer nothing.
    mutating func pull(_ wanted: Int) -> [Float]? {
        if count < wanted {
            breakOff()
            // Enough samples to end on; the rest of the block is filled below.
            let start = samples.count
            let tail = min(residue.remaining, wanted - count)
            samples.append(contentsOf: repeatElement(0, count: tail * 2))
            addResidue(from: start)
        }
        let taken = min(wanted, count)
        guard taken > 0 else { return nil }
        var block = Array(samples[head..<(head + taken * 2)])
        last = (block[taken * 2 - 2], block[taken * 2 - 1])
        head += taken * 2
        if head > 48_000 {
            samples.removeFirst(head)
            head = 0
        }
        if taken < wanted {
            last = (0, 0)
            block.append(contentsOf: repeatElement(0, count: (wanted - taken) * 2))
        }
        return block
    }
}
