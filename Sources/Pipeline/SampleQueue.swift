/// Stereo samples of one track between its decoder and the mixer, interleaved.
///
/// Where sound stops and starts again inside the queue's life, the edge is ramped, so that a hole
/// is silence and not a click.
struct SampleQueue {
    /// 2 ms: too short to be heard as a fade, long enough not to be heard as a click.
    static let rampSamples = 96
    /// Per channel. The timeline never asks for more silence than 2 s at a time; a sender that
    /// runs further ahead is cut.
    static let samplesMaximum = 48_000 * 4

    private var samples: [Float] = []
    private var head = 0
    /// The mixer found nothing at its last visit.
    private var isDry = true

    /// Samples per channel.
    var count: Int { (samples.count - head) / 2 }

    mutating func append(_ block: [Float]) {
        let room = (Self.samplesMaximum - count) * 2
        samples.append(contentsOf: block.prefix(max(0, room)))
    }

    mutating func appendSilence(_ count: Int) {
        let fitting = min(count, Self.samplesMaximum - self.count)
        guard fitting > 0 else { return }
        samples.append(contentsOf: repeatElement(0, count: fitting * 2))
    }

    /// Takes `wanted` samples per channel, silence where there are not enough. Nil when there are
    /// none at all, so that a silent track costs the mixer nothing.
    mutating func pull(_ wanted: Int) -> [Float]? {
        let taken = min(wanted, count)
        guard taken > 0 else {
            isDry = true
            return nil
        }
        var block = Array(samples[head..<(head + taken * 2)])
        head += taken * 2
        if head > 48_000 {
            samples.removeFirst(head)
            head = 0
        }
        if isDry { Self.ramp(&block, from: 0, rising: true) }
        isDry = taken < wanted
        if isDry {
            let length = min(Self.rampSamples, taken)
            Self.ramp(&block, from: taken - length, rising: false)
            block.append(contentsOf: repeatElement(0, count: (wanted - taken) * 2))
        }
        return block
    }

    private static func ramp(_ block: inout [Float], from start: Int, rising: Bool) {
        let length = min(rampSamples, block.count / 2 - start)
        for n in 0..<max(0, length) {
            let position = Float(n + 1) / Float(length + 1)
            let gain = rising ? position : 1 - position
            block[(start + n) * 2] *= gain
            block[(start + n) * 2 + 1] *= gain
        }
    }
}
