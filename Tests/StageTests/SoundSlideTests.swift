import MediaKernel
import Stage
import Testing

/// Sound keeps its place while its peer's playout delay slides at a pace that it can follow.
@Suite struct SoundSlideTests {
    /// One path of a track's audio, in simulated time.
    struct Way: Sendable, CustomTestStringConvertible {
        /// Seconds by which the delay finally grows, at 4 ms per second from the first second on.
        var distance: Double
        /// Parts per million by which the source's clock runs fast.
        var drift: Double
        /// Samples of a block.
        var block: Int64
        /// Blocks that arrive together.
        var burst: Int64

        var testDescription: String {
            "\(distance) s, \(drift) ppm, blocks of \(block), \(burst) at a time"
        }
    }

    private static let ways = [-0.090, 0.090].flatMap { distance in
        [-300.0, 0, 300].flatMap { drift in
            [(960, 1), (960, 4), (2880, 1), (5760, 1)].map { block, burst in
                Way(distance: distance, drift: drift, block: Int64(block), burst: Int64(burst))
            }
        }
    }

    private let clock = SampleClock(origin: .zero, frameRate: 30)

    /// The peer's delay at a time during the slide, in seconds.
    private func slid(_ way: Way, at time: Double) -> Double {
        let way = (way.distance, max(0, time - 1) * 0.004)
        return way.0 < 0 ? -min(-way.0, way.1) : min(way.0, way.1)
    }

    @Test(arguments: ways)
    func theSoundIsWhereItBelongsThroughoutASlide(way: Way) {
        var sound = SimulatedSound(clock: clock)
        var worst = 0.0
        for index in Int64(0)..<(60 * 48_000 / way.block) {
            let capture = Double(index * way.block) / (48_000 * (1 + way.drift * 1e-6))
            // The clock moves on each arrival, and then for all packets that have arrived.
            let arrival = Double((index / way.burst + 1) * way.burst * way.block) / 48_000
            let slid = slid(way, at: arrival)
            sound.pull(through: Int64(capture * 48_000))
            let target = capture + 0.2 + slid
            sound.block(
                Int(way.block), timestamp: index * way.block,
                presentation: Instant(nanoseconds: Int64(target * 1e9)),
                slid: .nanoseconds(Int64(slid * 1e9)))
            // This block ends where the next one begins.
            let duration = Double(way.block) / (48_000 * (1 + way.drift * 1e-6))
            let next = capture + duration + 0.2 + self.slid(way, at: arrival)
            worst = max(worst, abs(Double(sound.timeline.writePosition) / 48_000 - next))
        }
        #expect(worst <= 0.003, "\(worst * 1000) ms off")
        #expect(sound.ratios.allSatisfy { abs($0 - 1) <= 0.005 })
        #expect(sound.timeline.droppedSamples == 0 && sound.missingSamples == 0)
    }
}
