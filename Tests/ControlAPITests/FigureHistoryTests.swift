import MediaKernel
import Testing

@testable import ControlAPI

@Suite struct FigureHistoryTests {
    private let history = FigureHistory()

    private func add(at second: Int) {
        history.add(
            Figures(
                time: TestWorld.now + .seconds(second), streams: second, viewers: 0, peers: 0,
                bitrate: 0))
    }

    @Test func itCoversAnHour() {
        for second in stride(from: 0, through: 7200, by: 10) { add(at: second) }
        let all = history.all.map(\.streams)
        #expect(all.first == 3600 && all.last == 7200)
        #expect(all.count == FigureHistory.samplesMaximum)
    }

    @Test func itIsBoundedHoweverOftenItIsFed() {
        for second in 0..<2000 { add(at: second) }
        #expect(history.all.count == FigureHistory.samplesMaximum)
    }

    @Test func aClockThatIsSetBackLeavesNothingAhead() {
        add(at: 1000)
        add(at: 10)
        #expect(history.all.map(\.streams) == [10])
    }
}
