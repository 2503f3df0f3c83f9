import MediaKernel
import Testing

@testable import Pipeline

@Suite struct DecodingGovernorTests {
    /// A director that decodes what comes 30 times a second, as fast as the CPU allows.
    private struct Load {
        var governor = DecodingGovernor()
        /// Seconds.
        var time = 0.0
        /// Of each video, what decoding a second of it takes, in seconds.
        var costs: [TrackID: Double]
        /// Videos that a key frame was asked of, and when; it comes with the next batch.
        var asked: [(track: TrackID, at: Double)] = []
        var leftOut: [(track: TrackID, at: Double)] = []
        /// Videos that a key frame has come of last.
        var awaited: Set<TrackID> = []
        var decoded: [TrackID: Int] = [:]
        /// The longest time in seconds that a batch took.
        var longest = 0.0
        private var next: [TrackID: Int] = [:]

        init(_ costs: [TrackID: Double]) { self.costs = costs }

        private static func instant(_ seconds: Double) -> Instant {
            Instant(nanoseconds: Int64(seconds * 1e9))
        }

        /// - Parameter held: seconds for which the thread stands still before each batch.
        mutating func run(until end: Double, held: Double = 0) {
            while time < end {
                time += held
                // The next frame's time, which rounding must not make the last one's again.
                let taken = max(time, ((time * 30 + 1e-6).rounded(.down) + 1) / 30)
                time = taken
                governor.began(batchTakenAt: Self.instant(taken))
                let first = next.values.min() ?? 0
                for frame in first..<max(first, Int(taken * 30 + 1e-6)) {
                    for track in costs.keys.sorted() where next[track] ?? 0 <= frame {
                        take(track)
                        next[track] = frame + 1
                    }
                }
                longest = max(longest, time - taken)
            }
        }

        private mutating func take(_ track: TrackID) {
            let isKeyframe = awaited.remove(track) != nil
            let before = governor.videosLeftOut
            switch governor.judge(
                track, isKeyframe: isKeyframe, isLastResort: true, at: Self.instant(time))
            {
            case .decode:
                let cost = (costs[track] ?? 0) / 30
                time += cost
                governor.decoded(in: .nanoseconds(Int64(cost * 1e9)))
                decoded[track, default: 0] += 1
            case .leaveOut:
                if governor.videosLeftOut > before { leftOut.append((track, time)) }
            case .leaveOutAndAsk:
                asked.append((track, time))
                awaited.insert(track)
            }
        }
    }

    @Test func whatCanBeDecodedIs() {
        var load = Load(["ann": 0.45, "ben": 0.45])
        load.run(until: 60)
        #expect(load.leftOut.isEmpty && load.asked.isEmpty)
        #expect(load.governor.videosLeftOut == 0)
        #expect(load.longest < 0.5)
    }

    /// It is made up for, and nobody's picture is the worse for it.
    @Test func aThreadThatStoodStillIsNotShortOfCPU() {
        var load = Load(["ann": 0.3, "ben": 0.3])
        load.run(until: 5)
        load.run(until: 5.1, held: 4)
        load.run(until: 20)
        #expect(load.longest > 2)
        #expect(load.leftOut.isEmpty)
    }

    @Test func whereThereIsTooMuchOneIsLeftOutAndNoBatchGrows() {
        var load = Load(["ann": 0.4, "ben": 0.4, "cleo": 0.4])
        load.run(until: 20)
        #expect(load.leftOut.count >= 1)
        #expect(load.longest < 1.5, "\(load.longest) s")
        load.longest = 0
        load.run(until: 300)
        #expect(load.longest < 1.5, "\(load.longest) s")
        // Returns that do not hold come more and more seldom.
        let attempts = load.asked.map(\.at)
        let pauses = zip(attempts.dropFirst(), attempts).map(-)
        #expect((pauses.max() ?? 0) > 30 && attempts.count < 20, "\(attempts)")
        // Two can be decoded, and are, most of the time.
        let frames = load.decoded.values.reduce(0, +)
        #expect(frames > 2 * 30 * 240, "\(frames)")
    }

    @Test func farTooMuchIsLeftOutTogetherAndComesBackOneByOne() {
        let tracks = (0..<20).map { TrackID("peer \($0)") }
        var load = Load(Dictionary(uniqueKeysWithValues: tracks.map { ($0, 0.5) }))
        load.run(until: 10)
        #expect(load.longest < 3, "\(load.longest) s")
        #expect(load.leftOut.count >= 18)
        // The CPU is there again: all come back, a second apart.
        load.costs = load.costs.mapValues { _ in 0.01 }
        load.run(until: 200)
        #expect(load.leftOut.filter { $0.at > 12 }.isEmpty)
        let returns = load.asked.filter { $0.at > 12 }.map(\.at)
        #expect(zip(returns.dropFirst(), returns).allSatisfy { $0 - $1 >= 0.99 })
        let before = load.decoded
        load.run(until: 210)
        #expect(tracks.allSatisfy { load.decoded[$0, default: 0] - before[$0, default: 0] >= 299 })
    }

    @Test func whoComesAgainIsDecodedFromTheBeginning() {
        var load = Load(["ann": 3])
        load.run(until: 2)
        let now = Instant(nanoseconds: Int64(load.time * 1e9))
        #expect(
            load.governor.judge("ann", isKeyframe: true, isLastResort: true, at: now) == .leaveOut)
        load.governor.forget("ann")
        load.governor.began(batchTakenAt: now)
        #expect(
            load.governor.judge("ann", isKeyframe: true, isLastResort: true, at: now) == .decode)
    }

    @Test func aKeyFrameThatDoesNotComeIsAskedForAgain() {
        var governor = DecodingGovernor()
        func judge(
            _ milliseconds: Int, isKeyframe: Bool = false, cost: Duration = .zero
        ) -> DecodingGovernor.Verdict {
            let now = Instant.zero + .milliseconds(milliseconds)
            governor.began(batchTakenAt: now)
            governor.decoded(in: cost)
            return governor.judge("ann", isKeyframe: isKeyframe, isLastResort: true, at: now)
        }
        #expect(judge(0) == .decode)
        #expect(judge(33, cost: DecodingGovernor.backlogMaximum) == .leaveOut)
        // Nothing was too much for a second.
        #expect(judge(1000) == .leaveOut)
        #expect(judge(1100) == .leaveOutAndAsk)
        #expect(judge(2000) == .leaveOut)
        #expect(judge(2100) == .leaveOutAndAsk)
        #expect(judge(2200, isKeyframe: true) == .decode)
    }

    /// Fewer pictures a second, and fewer layers, come first.
    @Test func whileThereIsAnythingElseToDoNothingIsLeftOut() {
        var governor = DecodingGovernor()
        let begin = Instant.zero
        governor.began(batchTakenAt: begin)
        governor.began(batchTakenAt: begin + .milliseconds(33))
        governor.decoded(in: DecodingGovernor.backlogMaximum)
        let now = begin + .seconds(3)
        #expect(
            governor.judge("ann", isKeyframe: false, isLastResort: false, at: now) == .decode)
        #expect(
            governor.judge("ann", isKeyframe: false, isLastResort: true, at: now)
                == .leaveOut)
    }
}
