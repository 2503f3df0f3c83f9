import Glibc

/// How a process came to its end, as its parent sees it.
public enum ProcessEnding: Hashable, Sendable {
    /// It said why itself.
    case reported
    case status(Int32)
    case signal(Int32)
    /// It was not to be followed.
    case unknown

    /// By SIGKILL or SIGTERM: somebody else's doing, no fault of its own.
    public var isKill: Bool { self == .signal(SIGKILL) || self == .signal(SIGTERM) }

    var isTermination: Bool { self == .signal(SIGTERM) }

    public var signal: Int32? { if case .signal(let code) = self { code } else { nil } }
    public var status: Int32? { if case .status(let code) = self { code } else { nil } }
}

extension ProcessDeath.Cause {
    /// Signals that a fault of the process' own raises: signal(7).
    private static let crashes: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS,
    ]

    /// - Parameters:
    ///   - order: for what we had killed it; nil when we had not.
    ///   - isForMemory: whether the kernel has just killed one for want of memory.
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
