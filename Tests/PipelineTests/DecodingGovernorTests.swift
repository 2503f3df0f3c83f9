import MediaKernel
import Testing

@testable import Pipeline

@Suite struct DecodingGovernorTests {
    /// A director that decodes its input 30 times a second, as fast as the CPU allows.
    private struct Load {
        var governor = DecodingGovernor()
        /// Seconds.
        var time = 0.0
        /// The time to decode a second of each video, in seconds.
        var costs: [TrackID: Double]
        /// Videos whose key frame was requested, and when; it comes with the next batch.
        var asked: [(track: TrackID, at: Double)] = []
        /// The times at which videos were left out.
        var leftOut: [Double] = []
        /// Videos whose latest frame was a key frame.
        var awaited: Set<TrackID> = []
        var decoded: [TrackID: Int] = [:]
        /// The longest time in seconds that a batch took.
        var longest = 0.0
        private var next: [TrackID: Int] = [:]

        init(_ costs: [TrackID: Double]) { self.costs = costs }

        private static func instant(_ seconds: Double) -> Instant {
            Instant(nanoseconds: Int64(seconds * 1e9))
        }

        /// - Parameter held: seconds for which the thread is blocked before each batch.
        mutating func run(until end: Double, held: Double = 0) {
            while time < end {
                time += held
                // The next frame's time, which must not round to the last one's.
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
            let verdict = governor.judge(
                track, isKeyframe: isKeyframe, isLastResort: true, at: Self.instant(time),
                importance: { _ in 1 })
            if governor.videosLeftOut > before { leftOut.append(time) }
            switch verdict {
            case .decode:
                let cost = (costs[track] ?? 0) / 30
                time += cost
                governor.decoded(in: .nanoseconds(Int64(cost * 1e9)))
                decoded[track, default: 0] += 1
            case .leaveOut: break
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

    /// It catches up, without any loss of pictures.
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
        // Failed returns become rarer and rarer.
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
        // The CPU has recovered: all return, a second apart.
        load.costs = load.costs.mapValues { _ in 0.01 }
        load.run(until: 200)
        #expect(load.leftOut.filter { $0 > 12 }.isEmpty)
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
        func judge() -> DecodingGovernor.Verdict {
            load.governor.judge(
                "ann", isKeyframe: true, isLastResort: true, at: now, importance: { _ in 1 })
        }
        let before = judge()
        load.governor.forget("ann")
        load.governor.began(batchTakenAt: now)
        let after = judge()
        #expect(before == .leaveOut && after == .decode)
    }

    /// A batch that took so long that all but one are left out, regardless of whose frame comes
    /// next.
    @Test func theLeastImportantIsLeftOutFirstAndComesBackLast() {
        let importance: [TrackID: Int] = ["ann": 2, "ben": 9, "cleo": 1]
        var governor = DecodingGovernor()
        func judge(_ tracks: [TrackID], at milliseconds: Int) -> [DecodingGovernor.Verdict] {
            tracks.map { track in
                governor.judge(
                    track, isKeyframe: false, isLastResort: true,
                    at: .zero + .milliseconds(milliseconds),
                    importance: { importance[$0] ?? 0 })
            }
        }
        governor.began(batchTakenAt: .zero)
        let calm = judge(["ann", "ben", "cleo"], at: 0)
        governor.decoded(in: DecodingGovernor.backlogMaximum)
        let busy = judge(["ben", "ann", "cleo", "ben"], at: 0)
        #expect(calm == [.decode, .decode, .decode])
        #expect(busy == [.decode, .leaveOut, .leaveOut, .leaveOut])
        governor.began(batchTakenAt: .zero + .milliseconds(500))
        _ = judge(["cleo", "ann", "ben"], at: 500)
        governor.began(batchTakenAt: .zero + .milliseconds(1000))
        // It has been calm for a second.
        let returning = judge(["cleo", "ann", "ben"], at: 1000)
        #expect(returning == [.leaveOut, .leaveOut, .leaveOutAndAsk])
    }

    /// Neither would be shown with enough CPU.
    @Test func whatIsNotShownOrDoesNotComeIsNotLeftOutForGood() {
        for keepsComing in [true, false] {
            var governor = DecodingGovernor()
            func judge(at now: Instant) -> DecodingGovernor.Verdict {
                governor.judge(
                    "ann", isKeyframe: false, isLastResort: true, at: now,
                    importance: { _ in 1 })
            }
            governor.began(batchTakenAt: .zero)
            governor.decoded(in: DecodingGovernor.backlogMaximum)
            _ = judge(at: .zero)
            #expect(governor.videosLeftOut == 1)
            for step in 1...9 {
                let now = Instant.zero + .milliseconds(150 * step)
                governor.began(batchTakenAt: now)
                if keepsComing { _ = judge(at: now) }
            }
            #expect(governor.videosLeftOut == (keepsComing ? 1 : 0))
            governor.keep { $0 == "ann" }
            #expect(governor.videosLeftOut == (keepsComing ? 1 : 0))
            governor.keep { $0 == "ben" }
            #expect(governor.videosLeftOut == 0)
        }
    }

    @Test func aKeyFrameThatDoesNotComeIsAskedForAgain() {
        var governor = DecodingGovernor()
        func judge(
            _ milliseconds: Int, isKeyframe: Bool = false, cost: Duration = .zero
        ) -> DecodingGovernor.Verdict {
            let now = Instant.zero + .milliseconds(milliseconds)
            governor.began(batchTakenAt: now)
            governor.decoded(in: cost)
            return governor.judge(
                "ann", isKeyframe: isKeyframe, isLastResort: true, at: now,
                importance: { _ in 1 })
        }
        #expect(judge(0) == .decode)
        #expect(judge(33, cost: DecodingGovernor.backlogMaximum) == .leaveOut)
        // There was no overload for a second.
        #expect(judge(1000) == .leaveOut)
        #expect(judge(1100) == .leaveOutAndAsk)
        #expect(judge(2000) == .leaveOut)
        #expect(judge(2100) == .leaveOutAndAsk)
        #expect(judge(2200, isKeyframe: true) == .decode)
    }

    /// Fewer pictures per second, and fewer layers, come first.
    @Test func whileThereIsAnythingElseToDoNothingIsLeftOut() {
        var governor = DecodingGovernor()
        let begin = Instant.zero
        governor.began(batchTakenAt: begin)
        governor.began(batchTakenAt: begin + .milliseconds(33))
        governor.decoded(in: DecodingGovernor.backlogMaximum)
        let verdicts = [false, true].map { isLastResort in
            governor.judge(
                "ann", isKeyframe: false, isLastResort: isLastResort, at: begin + .seconds(3),
                importance: { _ in 1 })
        }
        #expect(verdicts == [.decode, .leaveOut])
    }
}
