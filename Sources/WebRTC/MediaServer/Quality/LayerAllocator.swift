import MediaKernel

/// Shares what the way to one subscriber can carry among the videos it gets: the poorest form of
/// each first, then better ones of those that matter most, of equals in turn.
///
/// What does not fit is taken back at once; something better is given only when there is room to
/// spare and some time has passed since something was taken, or layers would swing. Pure.
struct LayerAllocator {
    /// One video, with the bit rates of the forms that may be given, poorest first.
    struct Demand {
        var track: TrackID
        var importance = TrackImportance()
        var bitsPerSecond: [Int]
    }

    struct Result: Equatable {
        /// For each demand the place of its form; nil for none at all.
        var levels: [Int?]
        /// What the next better form would need in all; nil when everything is given.
        var missingBitsPerSecond: Int?
    }

    /// To be given something better, all must fit with this much to spare.
    static let headroom = 1.15
    /// What flows may be this much above the estimate before something is taken: rates waver.
    static let tolerance = 1.05
    /// The default of 100ms' policies, `recoverGracePeriodSeconds`.
    static let recoverGraceDefault: Duration = .seconds(4)

    /// After something was taken, nothing better is given for so long.
    var recoverGrace = recoverGraceDefault

    private var given: [TrackID: Int?] = [:]
    private var lastTaken: Instant?

    /// - Parameters:
    ///   - demands: the most important first, so that equals are neighbours.
    ///   - budget: bits per second for all of them; nil for no limit.
    ///   - keepingGiven: bits per second up to which nothing that is given is taken, where that is
    ///     more than the budget.
    ///   - keepingPoorest: the same for the poorest forms only.
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
        // What a subscriber has not had yet is treated like what it has: it is the estimate that
        // decides, not who came first.
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

    /// Raises some by one form at a time, in turn, while everything fits.
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
            // The poorest are raised first; when none of them fits, the next poorest get a try.
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

/// When to try whether there is room for more: soon after it was taken, then ever more rarely
/// while the tries fail, since each of them may cost others.
struct ProbePlan {
    static let intervalMinimum: Duration = .seconds(2)
    static let intervalMaximum: Duration = .seconds(30)
    /// A short probe of few packets measures up to a fifth less than it was sent at: so much more
    /// than what is missing must be tried, and so much of that be found, for it to be given.
    static let goalFactor = 1.3
    static let reachedShare = 0.8
    /// From a probe that found room for one form, which flows by then, to the next form's.
    static let nextFormInterval: Duration = .milliseconds(500)

    private var interval = intervalMinimum
    private var lastProbe: Instant?
    private var goal = 0

    /// The rate to probe at now; nil for no probe.
    ///
    /// - Parameters:
    ///   - missing: what the next better form needs in all; nil when nothing is missing.
    ///   - estimate: what is known to fit.
    ///   - reached: what the last probe measured, and when.
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
