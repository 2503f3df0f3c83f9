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

    /// What there is place for.
    func capacity(_ settings: StreamSettings) -> StreamCapacity {
        var capacity = StreamCapacity(
            onAir: entries.values.count(where: \.machine.status.isOnAir) + starts.reserved,
            streamsMaximum: settings.streamsMaximum,
            variantsPerRoomMaximum: settings.variantsPerRoomMaximum)
        if settings.idleCoresMinimum > 0, let idle = idleCores.mean {
            let now = clock().instant
            let unseen = entries.values.count { entry in
                entry.machine.status.isOnAir && now - entry.requestedAt < Self.cpuSettling
            }
            capacity.cores = StreamCapacity.Cores(
                idle: idle, perStream: settings.idleCoresMinimum,
                unseen: unseen + starts.reserved)
        }
        return capacity
    }

    /// Whether one more stream would be taken.
    var canAccept: Bool { !isShuttingDown && capacity(settings).refusal(ofNew: 1) == nil }
}
