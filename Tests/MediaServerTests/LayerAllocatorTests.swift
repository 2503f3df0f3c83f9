import MediaKernel
import Testing

@testable import MediaServer

@Suite struct LayerAllocatorTests {
    private func camera(_ name: String) -> LayerAllocator.Demand {
        .init(track: TrackID(name), bitsPerSecond: [100_000, 300_000, 900_000])
    }

    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func withoutALimitEverybodyGetsTheBest() {
        var allocator = LayerAllocator()
        let result = allocator.allocate([camera("a"), camera("b")], budget: nil, at: at(0))
        #expect(result == .init(levels: [2, 2], missingBitsPerSecond: nil))
    }

    @Test func whatDoesNotFitIsTakenAtOnceAndSharedEvenly() {
        var allocator = LayerAllocator()
        let demands = [camera("a"), camera("b"), camera("c")]
        _ = allocator.allocate(demands, budget: nil, at: at(0))
        var result = allocator.allocate(demands, budget: 1_000_000, at: at(1))
        #expect(result.levels == [1, 1, 1])
        #expect(result.missingBitsPerSecond == Int(1_500_000 * 1.15))
        result = allocator.allocate(demands, budget: 250_000, at: at(2))
        #expect(result.levels == [0, 0, nil])
        result = allocator.allocate(demands, budget: 0, at: at(3))
        #expect(result.levels == [nil, nil, nil])
    }

    @Test func thePoorestFormsThatAreToBeKeptAreNotTakenAndNotGiven() {
        var allocator = LayerAllocator()
        let demands = [camera("a"), camera("b"), camera("c")]
        _ = allocator.allocate(demands, budget: nil, at: at(0))
        for second in 1...9 {
            let result = allocator.allocate(
                demands, budget: 30_000, keepingPoorest: 250_000, at: at(second))
            #expect(result.levels == [0, 0, nil])
        }
        let result = allocator.allocate(demands, budget: 30_000, keepingPoorest: .max, at: at(10))
        #expect(result.levels == [0, 0, nil])
        #expect(allocator.allocate(demands, budget: 30_000, at: at(11)).levels == [nil, nil, nil])
    }

    @Test func whatIsGivenAndToBeKeptIsNotTakenAndNothingElseGiven() {
        var allocator = LayerAllocator()
        let (a, b) = (camera("a"), camera("b"))
        _ = allocator.allocate([a], budget: 400_000, at: at(0))
        for second in 1...9 {
            let result = allocator.allocate(
                [a, b], budget: 150_000, keepingGiven: 300_000, at: at(second))
            #expect(result.levels == [1, nil])
        }
        // It is a limit too.
        var wavering = a
        wavering.bitsPerSecond[1] = 301_000
        let result = allocator.allocate(
            [wavering, b], budget: 150_000, keepingGiven: 300_000, at: at(10))
        #expect(result.levels == [0, nil])
    }

    @Test func somethingBetterComesBackOnlyLaterAndWithRoomToSpare() {
        var allocator = LayerAllocator()
        let demands = [camera("a")]
        _ = allocator.allocate(demands, budget: nil, at: at(0))
        #expect(allocator.allocate(demands, budget: 400_000, at: at(10)).levels == [1])
        #expect(allocator.allocate(demands, budget: 2_000_000, at: at(12)).levels == [1])
        #expect(allocator.allocate(demands, budget: 950_000, at: at(20)).levels == [1])
        #expect(allocator.allocate(demands, budget: 1_100_000, at: at(21)).levels == [2])
        // It may vary a little without being taken away again.
        #expect(allocator.allocate(demands, budget: 870_000, at: at(22)).levels == [2])
        #expect(allocator.allocate(demands, budget: 800_000, at: at(23)).levels == [1])
    }

    @Test func nothingSwingsWhenTheEstimateWavers() {
        var allocator = LayerAllocator()
        let demands = [camera("a"), camera("b")]
        var changes = 0
        var last: [Int?] = []
        for tenth in 0..<600 {
            let budget = tenth % 2 == 0 ? 1_150_000 : 1_250_000
            let levels = allocator.allocate(
                demands, budget: budget, at: .zero + .milliseconds(tenth * 100)
            ).levels
            if levels != last { changes += 1 }
            last = levels
        }
        #expect(changes <= 2)
    }

    @Test func whoWantsLessLeavesMoreForTheOthers() {
        var allocator = LayerAllocator()
        let small = LayerAllocator.Demand(track: "a", bitsPerSecond: [100_000])
        let none = LayerAllocator.Demand(track: "b", bitsPerSecond: [])
        let result = allocator.allocate([small, none, camera("c")], budget: 1_200_000, at: at(0))
        #expect(result == .init(levels: [0, nil, 2], missingBitsPerSecond: nil))
    }

    @Test func whatMattersMoreIsServedFirst() {
        var allocator = LayerAllocator()
        func demand(_ name: String, _ importance: TrackImportance) -> LayerAllocator.Demand {
            var demand = camera(name)
            demand.importance = importance
            return demand
        }
        let demands = [
            demand("screen", .init(priority: 1, isScreen: true)),
            demand("host", .init(priority: 1)), demand("guest", .init(priority: 2)),
            demand("other", .init(priority: 2)),
        ]
        #expect(demands.map(\.importance) == demands.map(\.importance).sorted())
        // The lowest layer of every video comes before a better layer of any.
        for (budget, levels) in [
            (150_000, [0, nil, nil, nil]), (420_000, [0, 0, 0, 0]), (700_000, [1, 0, 0, 0]),
            (1_200_000, [2, 0, 0, 0]), (1_400_000, [2, 1, 0, 0]), (1_950_000, [2, 2, 0, 0]),
            (2_150_000, [2, 2, 1, 0]), (2_500_000, [2, 2, 1, 1]), (3_500_000, [2, 2, 2, 2]),
        ] as [(Int, [Int?])] {
            allocator = LayerAllocator()
            // Before anything has been allocated, a fitting layer is allocated at once.
            #expect(allocator.allocate(demands, budget: budget, at: at(0)).levels == levels)
        }
        // The least important videos lose their layers.
        allocator = LayerAllocator()
        _ = allocator.allocate(demands, budget: nil, at: at(0))
        #expect(allocator.allocate(demands, budget: 2_000_000, at: at(1)).levels == [2, 2, 0, 0])
        #expect(allocator.allocate(demands, budget: 210_000, at: at(2)).levels == [0, 0, nil, nil])
    }

    @Test func somethingBetterComesBackAfterTheRolesOwnTime() {
        var allocator = LayerAllocator()
        allocator.recoverGrace = .seconds(9)
        let demands = [camera("a")]
        _ = allocator.allocate(demands, budget: nil, at: at(0))
        #expect(allocator.allocate(demands, budget: 50_000, at: at(10)).levels == [nil])
        #expect(allocator.allocate(demands, budget: 2_000_000, at: at(18)).levels == [nil])
        #expect(allocator.allocate(demands, budget: 2_000_000, at: at(19)).levels == [2])
    }

    @Test func probesComeMoreRarelyWhileTheyFail() {
        var plan = ProbePlan()
        var times: [Int] = []
        for second in 0..<70 {
            let probe = plan.probe(
                missing: 1_000_000, estimate: 400_000, reached: nil, at: at(second))
            if probe != nil { times.append(second) }
        }
        #expect(times == [2, 4, 8, 16, 32, 62])
        #expect(plan.probe(missing: nil, estimate: 400_000, reached: nil, at: at(200)) == nil)
        #expect(plan.probe(missing: 9, estimate: nil, reached: nil, at: at(300)) == nil)
    }

    @Test func theNextFormIsTriedSoonAfterOneThatHasRoom() {
        var plan = ProbePlan()
        func tenths(_ missing: Int, _ reached: Int, until end: Int) -> [Int] {
            var times: [Int] = []
            for tenth in 20..<end {
                let probe = plan.probe(
                    missing: missing, estimate: 200_000,
                    reached: (reached, .zero + .milliseconds(2050)),
                    at: .zero + .milliseconds(tenth * 100))
                if probe != nil { times.append(tenth) }
            }
            return times
        }
        _ = plan.probe(missing: 300_000, estimate: 200_000, reached: nil, at: at(0))
        _ = plan.probe(missing: 300_000, estimate: 200_000, reached: nil, at: at(2))
        // The measured rate suffices for this layer: if it is not allocated, lack of capacity is
        // not the reason.
        #expect(tenths(300_000, 390_000, until: 40) == [])
        #expect(tenths(1_000_000, 390_000, until: 40) == [25])
    }
}
