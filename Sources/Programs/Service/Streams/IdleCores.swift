import MediaKernel

/// How many cores were idle in the last seconds, on average.
struct IdleCores {
    /// How far back the average goes.
    static let window: Duration = .seconds(5)
    /// From one look at the counters to the next.
    static let interval: Duration = .seconds(1)

    private var readings: [(instant: Instant, counters: ProcessorCounters)] = []

    /// Whether it is time for another look.
    func isDue(at now: Instant) -> Bool {
        readings.last.map { now - $0.instant >= Self.interval } ?? true
    }

    mutating func note(_ counters: ProcessorCounters, at now: Instant) {
        readings.append((now, counters))
        // The newest of those before the window stays: the average is of the whole window.
        while readings.count > 2, now - readings[1].instant >= Self.window {
            readings.removeFirst()
        }
    }

    /// Cores, of which a quota's rest may be fewer than those that are idle; nil as long as there
    /// is nothing to compare.
    var mean: Double? {
        guard let first = readings.first, let last = readings.last else { return nil }
        let seconds = (last.instant - first.instant).inSeconds
        guard seconds > 0 else { return nil }
        let idle = (last.counters.idle - first.counters.idle) / seconds
        guard let before = first.counters.group, let group = last.counters.group else {
            return max(0, idle)
        }
        return max(0, min(idle, group.cores - (group.used - before.used) / seconds))
    }
}
