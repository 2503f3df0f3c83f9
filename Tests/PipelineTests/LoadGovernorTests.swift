import MediaKernel
import Testing

@testable import Pipeline

@Suite struct LoadGovernorTests {
    private var governor = LoadGovernor(layers: 3)
    private var now = Instant.zero

    /// One observation every 33 ms; returns the resulting reductions, in order.
    private mutating func run(_ seconds: Double, backlog: Duration) -> [Reduction] {
        var changes: [Reduction] = []
        let end = now + .seconds(seconds)
        while now < end {
            if let change = governor.observe(backlog: backlog, at: now) { changes.append(change) }
            now = now + .milliseconds(33)
        }
        return changes
    }

    @Test mutating func `A machine that keeps up makes every picture of every layer`() {
        #expect(run(600, backlog: .milliseconds(60)) == [])
        #expect(governor.reduction == .none)
    }

    @Test mutating func `A single hiccup changes nothing`() {
        #expect(run(0.45, backlog: .milliseconds(600)) == [])
        #expect(run(10, backlog: .zero) == [])
    }

    @Test mutating func `Hiccups do not add up`() {
        for _ in 0..<10 {
            #expect(run(0.3, backlog: .milliseconds(600)) == [])
            #expect(run(0.1, backlog: .milliseconds(250)) == [])
        }
    }

    @Test mutating func `The frame rate goes first, then the lowest layer, never the top one`() {
        let changes = run(10, backlog: .milliseconds(600))
        #expect(
            changes == [
                Reduction(pictureInterval: 2, layersThinned: 0),
                Reduction(pictureInterval: 3, layersThinned: 0),
                Reduction(pictureInterval: 3, layersThinned: 1),
                Reduction(pictureInterval: 3, layersThinned: 2),
            ])
    }

    @Test mutating func `A step down is given a second before the next`() {
        #expect(run(1.4, backlog: .milliseconds(600)).count == 1)
        #expect(run(0.2, backlog: .milliseconds(600)).count == 1)
    }

    @Test mutating func `Calm brings everything back, a step at a time`() {
        _ = run(10, backlog: .milliseconds(600))
        let back = run(30, backlog: .milliseconds(20))
        #expect(back.last == Reduction.none)
        #expect(back.count == 4)
    }

    @Test mutating func `A backlog between high and low holds the step`() {
        _ = run(0.6, backlog: .milliseconds(600))
        #expect(run(60, backlog: .milliseconds(250)) == [])
        #expect(governor.reduction.pictureInterval == 2)
    }

    @Test mutating func `A machine at its limit swings ever more slowly`() {
        var ups = 0
        for _ in 0..<(300 * 30) {
            // Full rate is too much for it, half the rate is easy.
            let isOverloaded = governor.reduction == .none
            let change = governor.observe(
                backlog: isOverloaded ? .milliseconds(600) : .milliseconds(20), at: now)
            if change == Reduction.none { ups += 1 }
            now = now + .milliseconds(33)
        }
        #expect(ups <= 7)
    }

    @Test func `A single layer only loses pictures`() {
        var governor = LoadGovernor(layers: 1)
        var last = Reduction.none
        for index in 0..<1000 {
            let now = Instant.zero + .milliseconds(33 * index)
            last = governor.observe(backlog: .seconds(1), at: now) ?? last
        }
        #expect(last == Reduction(pictureInterval: 3, layersThinned: 0))
    }

    @Test func `Layers show the same pictures, and a thinned one some of them`() {
        let reduction = Reduction(pictureInterval: 2, layersThinned: 1)
        let top = (0..<60).filter { reduction.makes(frame: Int64($0), layer: 0, of: 2) }
        let low = (0..<60).filter { reduction.makes(frame: Int64($0), layer: 1, of: 2) }
        #expect(top.count == 30)
        #expect(low.count == 10)
        #expect(Set(low).isSubset(of: top))
    }
}
