import MediaKernel
import Testing

@testable import RTP

@Suite struct SentPacketLogTests {
    private func feedback(_ deltas: [Int16?]) -> TransportFeedback {
        TransportFeedback(
            sender: SSRC(1), media: SSRC(2), baseSequence: 0, referenceTime: 1, feedbackCount: 0,
            deltas: deltas)
    }

    /// A receiver that reports packets again would double their number.
    @Test func anArrivalCountsOnceAndALossMayStillArrive() {
        var log = SentPacketLog()
        for _ in 0..<3 { _ = log.sent(bytes: 100, probe: nil, at: .zero) }
        let first = log.results(of: feedback([0, nil, 0]))
        #expect(first.map { $0.arrival != nil } == [true, false, true])
        let second = log.results(of: feedback([0, 4, 0]))
        #expect(second.map { $0.arrival != nil } == [true])
        #expect(log.results(of: feedback([0, 4, 0])) == [])
    }
}

@Suite struct ProbeMeterTests {
    private func result(_ index: Int) -> PacketResult {
        PacketResult(
            sent: .zero + .milliseconds(index * 2), arrival: .milliseconds(50 + index * 2),
            bytes: 250, probe: 1)
    }

    /// The first packets of a burst that was cut off passed a queue that was still empty.
    @Test func aProbeIsMeasuredOnceFourOfFivePacketsHaveArrived() {
        var meter = ProbeMeter(id: 1)
        for _ in 0..<10 { meter.sent() }
        meter.isComplete = true
        for index in 0..<7 { #expect(meter.received(result(index)) == nil) }
        // 250 bytes every 2 ms.
        #expect(meter.received(result(7)) == 1_000_000)
    }

    @Test func aProbeThatIsStillSentIsNotMeasured() {
        var meter = ProbeMeter(id: 1)
        for _ in 0..<10 { meter.sent() }
        for index in 0..<10 { #expect(meter.received(result(index)) == nil) }
    }
}

@Suite struct LossRateControlTests {
    private func results(_ count: Int, arrived: Bool) -> [PacketResult] {
        let result = PacketResult(sent: .zero, arrival: arrived ? Duration.zero : nil, bytes: 1200)
        return Array(repeating: result, count: count)
    }

    /// It may report repeatedly that the same packets have not arrived.
    @Test(arguments: [(20, 1_000_000), (0, 1_000_000), (0, 0)])
    func noReceiverLeadsTheRateAstray(arrived: Int, acknowledged: Int) throws {
        var control = LossRateControl()
        control.update(acknowledged: nil, at: .zero)
        control.received(results(arrived, arrived: true))
        for _ in 0..<250 { control.received(results(4000, arrived: false)) }
        control.update(acknowledged: acknowledged, at: .zero + .milliseconds(500))
        let rate = try #require(control.bitsPerSecond)
        #expect((0...1e8).contains(rate))
    }
}

@Suite struct AcknowledgedRateTests {
    /// 100 bytes every 10 ms are 80 kbit/s.
    private func receive(_ rate: inout AcknowledgedRate, from start: Int, through end: Int) {
        for time in stride(from: start, through: end, by: 10) {
            rate.received(bytes: 100, arrival: .milliseconds(time))
        }
    }

    /// Its clock is reliable only for durations; it may start over.
    @Test func aReceiversClockThatGoesBackIsAnotherClock() throws {
        var rate = AcknowledgedRate()
        receive(&rate, from: 100_000, through: 101_000)
        #expect(rate.bitsPerSecond == 80_000)
        receive(&rate, from: 5000, through: 5490)
        #expect(rate.bitsPerSecond == nil)
        receive(&rate, from: 5500, through: 6000)
        #expect(rate.bitsPerSecond == 80_000)
    }

    @Test func whatArrivesALittleLateIsCounted() {
        var rate = AcknowledgedRate()
        receive(&rate, from: 0, through: 1000)
        rate.received(bytes: 6250, arrival: .milliseconds(600))
        #expect(rate.bitsPerSecond == 180_000)
    }
}
