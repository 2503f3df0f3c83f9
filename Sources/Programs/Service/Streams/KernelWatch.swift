import MediaKernel
import Streams

/// Facts from the kernel: how many cores are idle, and which processes it killed for lack of
/// memory. The kernel's files are not on a disk, and never hang.
struct KernelWatch {
    private let processors: @Sendable () -> ProcessorCounters?
    private let countedKills: @Sendable () -> Int?
    private var cores = IdleCores()
    private var memoryKills = MemoryKills()

    /// - Parameters:
    ///   - processors: reads the kernel's counters of processors.
    ///   - kills: reads how many processes the kernel has killed for lack of memory.
    init(
        processors: @escaping @Sendable () -> ProcessorCounters?,
        kills: @escaping @Sendable () -> Int?
    ) {
        self.processors = processors
        countedKills = kills
    }

    /// Average; nil until known.
    var idleCores: Double? { cores.mean }

    mutating func look(at now: Instant) {
        if cores.isDue(at: now), let counters = processors() {
            cores.note(counters, at: now)
        }
        // Keeps the counter current, so that a death shows up as an increase.
        if memoryKills.isDue(at: now) { memoryKills.note(countedKills(), at: now) }
    }

    /// The cause of a process's death, just after it.
    ///
    /// - Parameters:
    ///   - order: the reason for which we killed the process; nil if we did not.
    ///   - message: the process's own message.
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
