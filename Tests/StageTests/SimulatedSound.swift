import MediaKernel
import Stage

/// One track's path from blocks of samples to the mixer, with a resampler that outputs whole
/// samples.
///
/// Every output sample is recorded as a run: its value and its place.
struct SimulatedSound {
    enum Run: Hashable {
        case silence(Int64)
        case concealed(Int64)
        case sound(Int64)
    }

    var timeline: AudioTrackTimeline
    private(set) var runs: [Run] = []
    /// Input samples passed to the resampler.
    private(set) var usedSamples: Int64 = 0
    private(set) var outputSamples: Int64 = 0
    /// The resampler's remainder, below one sample.
    private var fraction = 0.0
    private(set) var ratios: [Double] = []
    /// Samples that the mixer had to conceal.
    private(set) var missingSamples: Int64 = 0

    init(clock: SampleClock, position: Int64 = 0) {
        timeline = AudioTrackTimeline(clock: clock, position: position)
    }

    mutating func block(
        _ samples: Int, timestamp: Int64, presentation: Instant, slid: Duration = .zero,
        isQuiet: Bool = false
    ) {
        carryOut(
            timeline.place(
                samples: samples, rtpTimestamp: timestamp, presentation: presentation,
                slid: slid, isQuiet: isQuiet), samples: samples)
    }

    mutating func lost(_ samples: Int, timestamp: Int64, presentation: Instant) {
        carryOut(
            timeline.lost(samples: samples, rtpTimestamp: timestamp, presentation: presentation),
            samples: 0)
    }

    mutating func pull(through position: Int64) {
        missingSamples += max(0, position - timeline.writePosition)
        timeline.pulled(through: position)
    }

    private mutating func carryOut(_ instructions: [AudioInstruction], samples: Int) {
        var rest = samples
        for instruction in instructions {
            switch instruction {
            case .silence(let count): note(.silence(Int64(count)), Int64(count))
            case .conceal(let count): note(.concealed(Int64(count)), Int64(count))
            case .resync(let dropping): rest -= dropping
            case .append(let ratio):
                ratios.append(ratio)
                let exact = Double(rest) * ratio + fraction
                let given = exact.rounded(.down)
                fraction = exact - given
                usedSamples += Int64(rest)
                timeline.appended(Int(given))
                note(.sound(Int64(given)), Int64(given))
            }
        }
    }

    private mutating func note(_ run: Run, _ count: Int64) {
        outputSamples += count
        switch (runs.last, run) {
        case (.sound(let before), .sound(let now)): runs[runs.count - 1] = .sound(before + now)
        default: runs.append(run)
        }
    }
}
