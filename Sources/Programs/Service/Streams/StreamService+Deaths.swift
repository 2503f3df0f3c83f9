import Logging
import MediaKernel
import Streams

/// Whose doing it was that a bot or a finisher died.
extension StreamService {
    /// Deaths of a stream that are remembered; the oldest is forgotten first.
    static let deathsMaximum = 10

    /// Looks at the kernel's counter now and then, so that a death finds what is new in it.
    func observeMemory(at now: Instant) {
        if memoryKills.isDue(at: now) { memoryKills.note(countedMemoryKills(), at: now) }
    }

    /// A process of a stream has died: that is kept in its record, and told in the log.
    ///
    /// - Parameters:
    ///   - order: for what we had killed it; nil when we had not.
    ///   - message: what it said itself.
    @discardableResult
    func died(
        _ role: ProcessDeath.Role, _ ending: ProcessEnding, orderedFor order: ProcessDeath.Cause?,
        message: String?, of id: StreamID
    ) -> ProcessDeath {
        let (now, time) = clock()
        let death = ProcessDeath(
            role: role,
            cause: ProcessDeath.Cause(
                ending, orderedFor: order,
                isForMemory: memoryKills.claim(countedMemoryKills(), at: now)),
            signal: ending.signal, status: ending.status, message: message, at: time)
        note(death, of: id)
        return death
    }

    func note(_ death: ProcessDeath, of id: StreamID) {
        archive.update(id) { stream in
            stream.health.deaths = (stream.health.deaths + [death]).suffix(Self.deathsMaximum)
        }
        var metadata: Logger.Metadata = [
            "cause": "\(death.cause.rawValue)", "exit": "\(death)",
        ]
        if let signal = death.signal { metadata["signal"] = "\(signal)" }
        if let status = death.status { metadata["status"] = "\(status)" }
        log(.warning, "\(death.role.rawValue) died", id, metadata)
        // With the next state at the latest, but who looks for the cause may not wait for that.
        errand(for: id) { service in
            guard let record = service.record(of: id) else { return }
            try? await service.persister.onDisk { try $0.note(record) }
        }
    }
}
