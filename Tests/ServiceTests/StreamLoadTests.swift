import ControlAPI
import MediaKernel
import Testing

@testable import Service

@Suite struct StreamLoadTests {
    private var load = StreamLoad()

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test mutating func ratesAreOverTheLatestReports() {
        for second in stride(from: 0.0, through: 60, by: 2) {
            load.published(250_000, layer: 0, at: at(second))
            load.published(50_000, layer: 1, at: at(second))
            // Half a core, and from 40 s on a whole one.
            load.used(
                cpuSeconds: second <= 40 ? second / 2 : 20 + (second - 40), megabytes: 300,
                at: at(second))
        }
        let figures = load.figures(layers: 3, at: at(60))
        #expect(figures.bitrates == [1_000_000, 200_000, nil])
        #expect(figures.cores == 1)
        #expect(figures.memory == 300_000_000)
        #expect(figures.written == 31 * 300_000)
    }

    @Test mutating func nothingIsSaidAfterOneReport() {
        load.published(250_000, layer: 0, at: at(0))
        load.used(cpuSeconds: 1, megabytes: 1, at: at(0))
        let figures = load.figures(layers: 1, at: at(1))
        #expect(figures.bitrates == [nil] && figures.cores == nil)
    }

    @Test mutating func aBotThatIsSilentMakesNothing() {
        for second in [0.0, 2] {
            load.published(250_000, layer: 0, at: at(second))
            load.used(cpuSeconds: second, megabytes: 1, at: at(second))
        }
        let figures = load.figures(layers: 1, at: at(40))
        #expect(figures.bitrates == [0] && figures.cores == 0)
    }

    @Test mutating func theNextBotBeginsAtZero() {
        for second in [0.0, 2] {
            load.used(cpuSeconds: 100 + second, megabytes: 500, at: at(second))
        }
        load.botStarted()
        #expect(load.figures(layers: 0, at: at(3)).memory == nil)
        for second in [4.0, 6] { load.used(cpuSeconds: second - 4, megabytes: 10, at: at(second)) }
        #expect(load.figures(layers: 0, at: at(6)).cores == 1)
    }

    /// A bot decodes untrusted bytes, and may be anybody's by now.
    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300, .greatestFiniteMagnitude])
    mutating func absurdReportsAreLeftOut(number: Double) {
        load.used(cpuSeconds: number, megabytes: number, at: at(0))
        load.used(cpuSeconds: number, megabytes: number, at: at(0.000_000_001))
        for bytes in [Int.max, .min, -1] { load.published(bytes, layer: 0, at: at(0)) }
        for layer in [Int.max, .min, -1, 5] { load.published(1, layer: layer, at: at(0)) }
        for moment in [0.0, 0.000_000_001] {
            load.published(Int(Int32.max), layer: 0, at: at(moment))
        }
        let figures = load.figures(layers: 1, at: at(1))
        #expect(figures.memory == nil)
        #expect(figures.bitrates.first.flatMap { $0 } ?? 0 <= 1_000_000_000_000)
        #expect(figures.written == 2 * Int64(Int32.max))
    }
}
