import MediaKernel

/// The average number of idle cores in the last seconds.
struct IdleCores {
    /// The length of the averaging window.
    static let window: Duration = .seconds(5)
    /// The interval between two readings of the counters.
    static let interval: Duration = .seconds(1)

    private var readings: [(instant: Instant, counters: ProcessorCounters)] = []

    /// Whether the next reading is due.
    func isDue(at now: Instant) -> Bool {
        readings.last.map { now - $0.instant >= Self.interval } ?? true
    }

    mutating func note(_ counters: ProcessorCounters, at now: Instant) {
        readings.append((now, counters))
        // Keeps the newest reading before the window, so that the average covers the whole window.
        while readings.count > 2, now - readings[1].instant >= Self.window {
            readings.removeFirst()
        }
    }

    /// The idle cores, or the rest of a quota if that is less; nil until there are two readings.
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
