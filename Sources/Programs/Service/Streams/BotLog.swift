import ChildProcesses
import Clocks
import ControlAPI
import Logging
import MediaKernel
import Synchronization

/// Puts what a bot logs among the server's own lines, for the operator's page.
final class BotLog: Sendable {
    private let ring: LogRing
    private let job: BotJob
    private let allowance: Mutex<LogAllowance>
    private let clock: @Sendable () -> (instant: Instant, time: UnixTime)

    init(
        _ ring: LogRing, of job: BotJob,
        clock: @escaping @Sendable () -> (instant: Instant, time: UnixTime) = {
            (MonotonicClock.now, UnixTime.now)
        }
    ) {
        self.ring = ring
        self.job = job
        self.clock = clock
        allowance = Mutex(LogAllowance(at: clock().instant))
    }

    func add(_ line: BotReport.LogLine) {
        let (now, time) = clock()
        guard let level = Logger.Level(rawValue: line.level),
            let leftOut = allowance.withLock({ $0.take(at: now) })
        else { return }
        // Whose line it is does not depend on what the bot says.
        var fields = [("room", job.room.rawValue), ("stream", job.stream.rawValue)]
        if leftOut > 0 { fields.append(("lines_left_out", "\(leftOut)")) }
        fields += line.fields.filter { !["room", "stream"].contains($0.name) }
            .map { ($0.name, $0.value) }
        ring.take("roomcast.bot", line.message, level, time, fields, from: .bots)
    }
}
