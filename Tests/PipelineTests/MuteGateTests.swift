import Testing

@testable import Pipeline

@Suite struct MuteGateTests {
    private let fade = SampleQueue.fadeSamples

    private func passed(_ gate: inout MuteGate, _ count: Int) -> [Float] {
        var block = [Float](repeating: 1, count: count * 2)
        gate.pass(&block)
        return (0..<count).map { block[2 * $0] }
    }

    @Test func whatWaitedIsHeardOut() {
        var gate = MuteGate()
        #expect(passed(&gate, 100) == [Float](repeating: 1, count: 100))
        gate.set(isMuted: true, waiting: 500)
        // A repetition has no effect.
        gate.set(isMuted: true, waiting: 9000)
        let heard = passed(&gate, 1000)
        #expect(heard[..<500].allSatisfy { $0 == 1 })
        #expect(heard[(500 + fade)...].allSatisfy { $0 == 0 })
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 - $1 >= 0 && $0 - $1 < 0.005 })
    }

    @Test func whatIsWantedAgainIsHeardFromThenOn() {
        var gate = MuteGate()
        gate.set(isMuted: true, waiting: 0)
        #expect(passed(&gate, 100).allSatisfy { $0 == 0 }, "it came muted")
        gate.set(isMuted: false, waiting: 100)
        let heard = passed(&gate, 1000)
        #expect(heard[fade...].allSatisfy { $0 == 1 })
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 - $0 >= 0 && $1 - $0 < 0.005 })
    }

    @Test func inASilenceItOpensAndClosesUnheard() {
        var gate = MuteGate()
        _ = passed(&gate, 10)
        gate.set(isMuted: true, waiting: 20)
        gate.rest(20)
        #expect(passed(&gate, 10).allSatisfy { $0 == 0 })
        gate.set(isMuted: false, waiting: 0)
        gate.rest(1)
        #expect(passed(&gate, 10).allSatisfy { $0 == 1 })
    }
}
