public import Logging
import Synchronization

/// The level of all loggers of a process, which can change while they are in use.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    public init(_ level: Logger.Level) { self.level = Mutex(level) }

    public var current: Logger.Level { level.withLock { $0 } }

    public func change(to level: Logger.Level) { self.level.withLock { $0 = level } }
}
