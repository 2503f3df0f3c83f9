import MediaKernel
import Testing

@testable import RTP

/// The estimator against simulated bottlenecks.
@Suite struct BandwidthEstimatorTests {
    @Test func aWayThatIsNotFullShowsNoLimit() {
        var path = CongestionSimulation(capacity: 10_000_000, demand: 1_500_000)
        path.run(for: .seconds(20))
        #expect(path.estimator.bitsPerSecond == nil)
        #expect(path.estimator.loss(at: path.now) == 0)
        let arrives = path.estimator.acknowledgedBitsPerSecond ?? 0
        #expect((1_400_000...1_600_000).contains(arrives))
    }

    @Test(arguments: [500_000, 1_000_000, 3_000_000])
    func itFindsTheCapacityOfABottleneckAndStaysThere(capacity: Int) {
        var path = CongestionSimulation(capacity: capacity, demand: capacity * 3)
        path.run(for: .seconds(20))
        var lowest = Int.max
        var sum = 0
        path.longestQueue = .zero
        for _ in 0..<100 {
            path.run(for: .milliseconds(200))
            let estimate = path.estimator.bitsPerSecond ?? .max
            lowest = min(lowest, estimate)
            sum += estimate
        }
        #expect(lowest >= capacity * 6 / 10)
        #expect((capacity * 7 / 10...capacity * 103 / 100).contains(sum / 100))
        #expect(path.longestQueue < .milliseconds(250))
    }

    @Test func overuseIsAnsweredWithinASecond() {
        var path = CongestionSimulation(capacity: 1_000_000, demand: 2_000_000)
        path.run(for: .seconds(1))
        #expect(path.estimator.bitsPerSecond.map { $0 <= 1_000_000 } == true)
    }

    @Test func itFollowsABottleneckDownAndUp() {
        var path = CongestionSimulation(capacity: 2_000_000, demand: 4_000_000)
        path.run(for: .seconds(15))
        path.capacity = 600_000
        path.run(for: .seconds(5))
        #expect((path.estimator.bitsPerSecond ?? .max) <= 650_000)
        path.capacity = 2_000_000
        path.run(for: .seconds(60))
        #expect((path.estimator.bitsPerSecond ?? 0) >= 1_400_000)
    }

    @Test func aBurstOnAQuietWayShowsWhatTheWayCarriesAndNotWhatWasSent() {
        var path = CongestionSimulation(capacity: 300_000, demand: 1_000_000)
        path.run(for: .seconds(10))
        path.demand = 50_000
        path.run(for: .seconds(3))
        for _ in 0..<10 {
            for _ in 0..<6 {
                path.burst(2)
                path.run(for: .milliseconds(30))
            }
            path.run(for: .milliseconds(800))
            let estimate = path.estimator.bitsPerSecond ?? 0
            #expect(estimate >= 120_000)
        }
    }

    @Test func aWayIsCongestedWhileItIsTooFullOrLosesTooMuch() {
        var path = CongestionSimulation(capacity: 500_000, demand: 400_000)
        path.run(for: .seconds(10))
        var found = [path.estimator.isCongested(at: path.now)]
        path.capacity = 300_000
        path.run(for: .seconds(1))
        found.append(path.estimator.isCongested(at: path.now))
        path.demand = 100_000
        path.run(for: .seconds(2))
        found.append(path.estimator.isCongested(at: path.now))
        path.loss = 0.25
        path.run(for: .seconds(4))
        found.append(path.estimator.isCongested(at: path.now))
        #expect(found == [false, true, false, true])
    }

    /// A busy machine delays packets by up to 16 ms again and again, and catches up each second.
    @Test func aWayThatHoldsPacketsBackForAMomentIsNotCongested() {
        var path = CongestionSimulation(capacity: 10_000_000, demand: 1_500_000)
        path.hold = { now in
            let share = Double(now.nanoseconds % 1_000_000_000) / 1e9
            return .microseconds(Int64(16_000 * min(share, 1 - share) * 2))
        }
        var lowest: Int?
        for _ in 0..<600 {
            path.run(for: .milliseconds(100))
            lowest = [lowest, path.estimator.bitsPerSecond].compactMap { $0 }.min()
            #expect(!path.estimator.isCongested(at: path.now))
        }
        #expect(lowest.map { $0 < 1_500_000 } == true, "the estimate does not notice either")
    }

    @Test(arguments: [1.1, 1.5, 4])
    func aWayThatCarriesTooLittleIsCongestedWithinTwoSeconds(excess: Double) {
        var path = CongestionSimulation(capacity: 3_000_000, demand: 1_000_000)
        path.run(for: .seconds(5))
        path.capacity = Int(1_000_000 / excess)
        // Nothing reacts to the estimate.
        for _ in 0..<4 {
            path.run(for: .milliseconds(500)) { $0.demand }
            if path.estimator.isCongested(at: path.now) { return }
        }
        Issue.record("not congested")
    }

    @Test func aProbeShowsRoomThatIsNotUsed() {
        var path = CongestionSimulation(capacity: 500_000, demand: 1_000_000)
        path.run(for: .seconds(10))
        path.capacity = 3_000_000
        path.demand = 300_000
        path.run(for: .seconds(10))
        #expect((path.estimator.bitsPerSecond ?? .max) < 600_000)
        path.beginProbe(1_500_000)
        path.run(for: .seconds(1))
        let result = path.estimator.lastProbeResult?.bitsPerSecond ?? 0
        #expect((1_200_000...1_700_000).contains(result))
        #expect((path.estimator.bitsPerSecond ?? 0) >= 1_200_000)
    }

    @Test func aProbeOfAFullWayFindsItsCapacity() {
        var path = CongestionSimulation(capacity: 800_000, demand: 2_000_000)
        path.run(for: .seconds(10))
        path.demand = 300_000
        path.run(for: .seconds(5))
        path.beginProbe(3_000_000)
        path.run(for: .seconds(2))
        let result = path.estimator.lastProbeResult?.bitsPerSecond ?? 0
        #expect((600_000...900_000).contains(result))
    }

    @Test func lossOnTheWayLowersTheEstimateAndItsEndRaisesIt() {
        var path = CongestionSimulation(capacity: 10_000_000, demand: 1_000_000)
        path.loss = 0.25
        path.run(for: .seconds(5))
        let low = path.estimator.bitsPerSecond ?? .max
        #expect(low < 900_000)
        path.loss = 0
        path.run(for: .seconds(30))
        #expect((path.estimator.bitsPerSecond ?? .max) > 900_000)
    }

    /// A receiver's report about the next packet, which has just been sent.
    private func report(
        _ estimator: inout BandwidthEstimator, _ deltas: [Int16?] = [0], reference: Int32,
        at now: Instant
    ) {
        let number = estimator.sent(bytes: 1200, at: now)
        estimator.received(
            TransportFeedback(
                sender: SSRC(1), media: SSRC(2), baseSequence: number.rawValue,
                referenceTime: reference, feedbackCount: 0, deltas: deltas), at: now)
    }

    /// A few hundred years exceed the nanoseconds that 64 bits can count.
    @Test(arguments: [[0], [nil], []] as [[Int16?]])
    func aClockThatIsLedAstrayIsAnotherClock(deltas: [Int16?]) {
        var estimator = BandwidthEstimator()
        var now = Instant.zero
        var reference: Int32 = 0
        report(&estimator, reference: reference, at: now)
        for _ in 0..<20_000 {
            now += .microseconds(50)
            reference = ((reference &+ 0x7F_FFFF) << 8) >> 8
            report(&estimator, deltas, reference: reference, at: now)
        }
        for _ in 0..<2 {
            now += .milliseconds(10)
            report(&estimator, reference: reference, at: now)
        }
        #expect(estimator.bitsPerSecond == nil)
    }

    @Test func noEstimateIsOfMoreThanAnyWayCarries() {
        var estimator = BandwidthEstimator()
        report(&estimator, reference: 0, at: .zero)
        for _ in 0..<200 { _ = estimator.sent(bytes: Int(Int32.max), at: .zero) }
        // Ten times, 64 ms later, with three in ten missing.
        estimator.received(
            TransportFeedback(
                sender: SSRC(1), media: SSRC(2), baseSequence: 1, referenceTime: 10,
                feedbackCount: 1,
                deltas: (0..<200).map { index -> Int16? in index % 10 < 3 ? nil : 0 }),
            at: .zero + .milliseconds(640))
        #expect(estimator.bitsPerSecond == BandwidthEstimator.bitsPerSecondMaximum)
    }

    @Test func anotherWayIsMeasuredAnew() {
        var path = CongestionSimulation(capacity: 300_000, demand: 1_000_000)
        path.run(for: .seconds(10))
        #expect((path.estimator.bitsPerSecond ?? .max) < 400_000)
        path.estimator.routeChanged()
        #expect(path.estimator.bitsPerSecond == nil)
        #expect(!path.estimator.isCongested(at: path.now))
        path.capacity = 3_000_000
        path.run(for: .seconds(10))
        #expect((path.estimator.bitsPerSecond ?? .max) >= 1_000_000)
    }

    @Test func feedbackForWhatWasNeverSentIsPassedOver() {
        var estimator = BandwidthEstimator()
        let feedback = TransportFeedback(
            sender: SSRC(1), media: SSRC(2), baseSequence: 60_000, referenceTime: -5,
            feedbackCount: 0, deltas: [4, nil, -300, 2])
        estimator.received(feedback, at: .zero)
        _ = estimator.sent(bytes: 100, at: .zero)
        estimator.received(feedback, at: .zero)
        #expect(estimator.bitsPerSecond == nil)
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                _ = estimator.sent(bytes: 1200, at: .zero)
            }
            estimator.received(
                TransportFeedback(
                    sender: SSRC(1), media: SSRC(2),
                    baseSequence: .random(in: 0...UInt16.max, using: &random),
                    referenceTime: .random(in: -0x80_0000...0x7F_FFFF, using: &random),
                    feedbackCount: 0,
                    deltas: (0..<8).map { _ in
                        Bool.random(using: &random)
                            ? Int16.random(in: .min...Int16.max, using: &random) : nil
                    }), at: .zero)
        }
    }
}
