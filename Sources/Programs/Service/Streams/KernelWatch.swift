import MediaKernel
import Streams

/// What the kernel says of the machine: how many cores are idle, and whom it killed for want of
/// memory. It is asked now and then; its files are no disk's, and never hang.
struct KernelWatch {
    private let processors: @Sendable () -> ProcessorCounters?
    private let countedKills: @Sendable () -> Int?
    private var cores = IdleCores()
    private var memoryKills = MemoryKills()

    /// - Parameters:
    ///   - processors: what the kernel counts of them.
    ///   - kills: how many processes it has killed for want of memory.
    init(
        processors: @escaping @Sendable () -> ProcessorCounters?,
        kills: @escaping @Sendable () -> Int?
    ) {
        self.processors = processors
        countedKills = kills
    }

    /// Cores, on average; nil as long as it is not known.
    var idleCores: Double? { cores.mean }

    mutating func look(at now: Instant) {
        if cores.isDue(at: now), let counters = processors() {
            cores.note(counters, at: now)
        }
        // So that a death finds what is new in it.
        if memoryKills.isDue(at: now) { memoryKills.note(countedKills(), at: now) }
    }

    /// Whose doing it was that a process has just died.
    ///
    /// - Parameters:
    ///   - order: for what we had killed it; nil when we had not.
    ///   - message: what it said itself.
    mutating func death(
        _ role: ProcessDeath.Role, _ ending: ProcessEnding, orderedFor order: ProcessDeath.Cause?,
        message: String, at now: (instant: Instant, time: UnixTime)
    ) -> ProcessDeath {
        let isForMemory = memoryKills.claim(countedKills(), at: now.instant)
        return ProcessDeath(
            role: role,
            cause: ProcessDeath.Cause(ending, orderedFor: order, isForMemory: isForMemory),
            signal: ending.signal, status: ending.status,
            message: message.isEmpty ? nil : message, at: now.time)
    }
}
