import MediaKernel
import Streams

extension StreamService {
    /// A stream that was started so long ago shows in the average of what is idle: its bot takes a
    /// second or two to begin, and the average goes back five.
    static let cpuSettling: Duration = .seconds(8)

    /// Looks at the kernel's counters now and then.
    func observeCPU(at now: Instant) {
        guard idleCores.isDue(at: now), let counters = processors() else { return }
        idleCores.note(counters, at: now)
    }

    /// Why so many more streams would be too many for the CPU; nil where they would not, or where
    /// nothing is known.
    func lackOfCPU(forNew count: Int) -> LiveStreamError? {
        guard settings.idleCoresMinimum > 0, count > 0, let idle = idleCores.mean else {
            return nil
        }
        let now = clock().instant
        let unseen = entries.values.count { entry in
            entry.machine.status.isOnAir && now - entry.requestedAt < Self.cpuSettling
        }
        let needed = settings.idleCoresMinimum * Double(count + unseen + starts.reserved)
        return idle < needed ? .insufficientCPU(idle: idle, needed: needed) : nil
    }
}
