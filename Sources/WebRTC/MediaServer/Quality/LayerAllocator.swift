import MediaKernel

/// Shares the bandwidth to one subscriber among its videos: first the poorest layer of each, then
/// better layers of the most important, taking turns among equals.
///
/// A layer that does not fit is taken away at once. A better layer is given only if there is room
/// to spare and some time has passed since one was taken, so that layers do not oscillate. Pure.
struct LayerAllocator {
    /// One video, with the bit rates of its available layers, poorest first.
    struct Demand {
        var track: TrackID
        var importance = TrackImportance()
        var bitsPerSecond: [Int]
    }

    struct Result: Equatable {
        /// The index of each demand's layer; nil for no layer.
        var levels: [Int?]
        /// The total rate needed for the next better layer; nil if every video has its best.
        var missingBitsPerSecond: Int?
    }

    /// A better layer is given only if the total fits with this margin.
    static let headroom = 1.15
    /// The total may exceed the estimate by this factor before a layer is taken: rates fluctuate.
    static let tolerance = 1.05
    /// How long the loss has been low before a video comes back.
    static let recoverGraceDefault: Duration = .seconds(4)

    /// After a layer is taken, no better one is given for this long.
    var recoverGrace = recoverGraceDefault

    private var given: [TrackID: Int?] = [:]
    private var lastTaken: Instant?

    /// - Parameters:
    ///   - demands: the most important first, so that equals are adjacent.
    ///   - budget: bits per second for all demands; nil for no limit.
    ///   - keepingGiven: up to this rate, in bits per second, no given layer is taken, even beyond
    ///     the budget.
    ///   - keepingPoorest: the same for the poorest layers only.
    mutating func allocate(
        _ demands: [Demand], budget: Int?, keepingGiven: Int = 0, keepingPoorest: Int = 0,
        at now: Instant
    ) -> Result {
        let tops = demands.map { $0.bitsPerSecond.count - 1 }
        guard let budget else {
            let levels = tops.map { $0 >= 0 ? $0 : nil }
            remember(demands, levels)
            return Result(levels: levels, missingBitsPerSecond: nil)
        }
        // Treat a new video like one with its best layer: the estimate decides, not the order of
        // arrival.
        let held = demands.indices.map { index -> Int in
            guard let level = given[demands[index].track] else { return tops[index] }
            return min(level ?? -1, tops[index])
        }
        let limit = Int(Double(budget) * Self.tolerance)
        let had = zip(demands, tops).map { demand, top in
            min((given[demand.track] ?? nil) ?? -1, top)
        }
        var kept = Self.fill(
            demands, from: demands.map { _ in -1 }, upTo: held.map { min($0, 0) },
            into: max(limit, keepingPoorest))
        kept = Self.fill(demands, from: kept, upTo: had, into: max(limit, keepingGiven))
        var levels = Self.fill(demands, from: kept, upTo: held, into: limit)
        if zip(levels, held).contains(where: { $0 < $1 }) { lastTaken = now }
        let mayRaise = lastTaken.map { now - $0 >= recoverGrace } ?? true
        if mayRaise {
            levels = Self.fill(
                demands, from: levels, upTo: tops, into: Int(Double(budget) / Self.headroom))
        }
        let result = levels.map { $0 >= 0 ? $0 : nil }
        remember(demands, result)
        return Result(
            levels: result, missingBitsPerSecond: Self.missing(demands, levels, tops))
    }

    private mutating func remember(_ demands: [Demand], _ levels: [Int?]) {
        given = [:]
        for (demand, level) in zip(demands, levels) { given[demand.track] = level }
    }

    private static func fill(
        _ demands: [Demand], from start: [Int], upTo tops: [Int], into budget: Int
    ) -> [Int] {
        var levels = start
        raise(&levels, demands.indices, of: demands, upTo: tops.map { min($0, 0) }, into: budget)
        var begin = demands.startIndex
        while begin < demands.endIndex {
            let end =
                demands[begin...].firstIndex { $0.importance != demands[begin].importance }
                ?? demands.endIndex
            raise(&levels, begin..<end, of: demands, upTo: tops, into: budget)
            begin = end
        }
        return levels
    }

    /// Raises these demands by one layer at a time, in turn, while everything fits.
    private static func raise(
        _ levels: inout [Int], _ places: Range<Int>, of demands: [Demand], upTo tops: [Int],
        into budget: Int
    ) {
        var total = 0
        for (demand, level) in zip(demands, levels) where level >= 0 {
            total += demand.bitsPerSecond[level]
        }
        var hasRaised = true
        while hasRaised {
            hasRaised = false
            let raisable = places.filter { levels[$0] < tops[$0] }.map { levels[$0] }
            guard let lowest = raisable.min(), let highest = raisable.max() else { break }
            // Raise the poorest first; if none of them fits, try the next poorest.
            for floor in lowest...highest {
                for index in places where levels[index] == floor && floor < tops[index] {
                    let rates = demands[index].bitsPerSecond
                    let step = rates[floor + 1] - (floor >= 0 ? rates[floor] : 0)
                    guard total + step <= budget else { continue }
                    levels[index] += 1
                    total += step
                    hasRaised = true
                }
                if hasRaised { break }
            }
        }
    }

    private static func missing(_ demands: [Demand], _ levels: [Int], _ tops: [Int]) -> Int? {
        var total = 0
        var smallest: Int?
        for (index, demand) in demands.enumerated() {
            let rates = demand.bitsPerSecond
            let level = levels[index]
            let now = level >= 0 ? rates[level] : 0
            total += now
            if level < tops[index] {
                smallest = min(smallest ?? .max, max(rates[level + 1] - now, 0))
            }
        }
        return smallest.map { Int(Double(total + $0) * headroom) }
    }
}

/// Decides when to probe for more bandwidth: soon after a layer was taken, then ever more rarely
/// while the probes fail, since each probe may cost other traffic.
struct ProbePlan {
    static let intervalMinimum: Duration = .seconds(2)
    static let intervalMaximum: Duration = .seconds(30)
    /// A short probe of few packets measures up to a fifth less than its rate. So the probe exceeds
    /// the missing rate by this factor, and succeeds at a share of its goal.
    static let goalFactor = 1.3
    static let reachedShare = 0.8
    /// The interval between a successful probe for one layer, which flows by then, and the next
    /// layer's.
    static let nextFormInterval: Duration = .milliseconds(500)

    private var interval = intervalMinimum
    private var lastProbe: Instant?
    private var goal = 0

    /// The rate to probe at now; nil for no probe.
    ///
    /// - Parameters:
    ///   - missing: the total rate needed for the next better layer; nil if nothing is missing.
    ///   - estimate: the rate known to fit.
    ///   - reached: the result of the last probe, and its time.
    mutating func probe(
        missing: Int?, estimate: Int?, reached: (bitsPerSecond: Int, at: Instant)?,
        at now: Instant
    ) -> Int? {
        guard let missing, let estimate, estimate < missing else {
            if missing == nil { self = ProbePlan() }
            return nil
        }
        guard let last = lastProbe else {
            lastProbe = now
            return nil
        }
        let found = reached.flatMap { probe in
            let isSuccess =
                probe.at > last && Double(probe.bitsPerSecond) >= Double(goal) * Self.reachedShare
            return isSuccess ? probe.bitsPerSecond : nil
        }
        let isNextForm = found.map { missing > $0 } ?? false
        guard now - last >= (isNextForm ? Self.nextFormInterval : interval) else { return nil }
        if found != nil {
            interval = Self.intervalMinimum
        } else if goal > 0 {
            interval = min(interval * 2, Self.intervalMaximum)
        }
        lastProbe = now
        goal = Int(Double(missing) * Self.goalFactor)
        return goal
    }
}
