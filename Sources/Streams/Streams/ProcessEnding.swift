import Glibc

/// How a process ended, as its parent sees it.
public enum ProcessEnding: Hashable, Sendable {
    /// The process reported the reason itself.
    case reported
    case status(Int32)
    case signal(Int32)
    /// Nobody could tell.
    case unknown

    /// Ended by SIGKILL or SIGTERM: not a fault of its own.
    public var isKill: Bool { self == .signal(SIGKILL) || self == .signal(SIGTERM) }

    var isTermination: Bool { self == .signal(SIGTERM) }

    public var signal: Int32? { if case .signal(let code) = self { code } else { nil } }
    public var status: Int32? { if case .status(let code) = self { code } else { nil } }
}

extension ProcessDeath.Cause {
    /// Signals that a process's own fault raises: signal(7).
    private static let crashes: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
    ]

    /// - Parameters:
    ///   - order: the reason for which we killed the process; nil if we did not.
    ///   - isForMemory: whether the kernel has just killed a process for lack of memory.
    public init(
        _ ending: ProcessEnding, orderedFor order: Self?, isForMemory: @autoclosure () -> Bool
    ) {
        switch ending {
        case .signal(let code) where Self.crashes.contains(code): self = .crashed
        case .signal(SIGKILL): self = order ?? (isForMemory() ? .outOfMemory : .outside)
        case .signal: self = order ?? .outside
        case .reported, .status, .unknown: self = order ?? .gaveUp
        }
    }
}
