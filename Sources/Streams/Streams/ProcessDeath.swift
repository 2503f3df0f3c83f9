public import MediaKernel

/// The death of a process that worked for a stream, and whose doing it was.
public struct ProcessDeath: Hashable, Sendable, Codable {
    public enum Role: String, Hashable, Sendable, Codable { case bot, finisher }

    public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        /// We killed it: the first segments were not there in time.
        case notReady = "not_ready"
        /// We killed it: it published nothing more.
        case stoodStill = "stood_still"
        /// We killed it: it was asked to stop, and did not finish in time.
        case notFinished = "not_finished"
        /// We killed it: it did not say how far it is.
        case silent
        /// We killed it: the server stops.
        case serverStopped = "server_stopped"
        /// The kernel killed it: there was no memory left.
        case outOfMemory = "out_of_memory"
        /// A fault of its own: a signal such as SIGSEGV.
        case crashed
        /// Somebody else's doing: a signal that we did not send.
        case outside
        /// It left by itself, with a reason or a status.
        case gaveUp = "gave_up"
        /// There never was a process.
        case notStarted = "not_started"
    }

    public var role: Role
    public var cause: Cause
    /// What ended it, and the status that it left with; nil where there was none.
    public var signal: Int32?
    public var status: Int32?
    /// What it said itself; nil where it said nothing.
    public var message: String?
    public var at: UnixTime

    public init(
        role: Role, cause: Cause, signal: Int32? = nil, status: Int32? = nil,
        message: String? = nil, at: UnixTime
    ) {
        self.role = role
        self.cause = cause
        self.signal = signal
        self.status = status
        self.message = message
        self.at = at
    }

    enum CodingKeys: String, CodingKey {
        case role = "process"
        case cause, signal, status, message
        case at = "at_ns"
    }
}

extension ProcessDeath: CustomStringConvertible {
    /// In words, for the log and a stream's reason.
    public var description: String {
        if let message, cause == .gaveUp || cause == .notStarted { return message }
        let means = signal.map { "signal \($0)" } ?? status.map { "status \($0)" }
        switch cause {
        case .notReady: return "killed by the server: not ready in time"
        case .stoodStill: return "killed by the server: it published nothing more"
        case .notFinished: return "killed by the server: it did not finish in time"
        case .silent: return "killed by the server: it said nothing more"
        case .serverStopped: return "killed by the server: it stops"
        case .outOfMemory: return "killed by the kernel: out of memory"
        case .crashed: return "crashed with \(means ?? "a signal")"
        case .outside: return "\(means ?? "a signal") from outside"
        case .gaveUp: return "it left with \(means ?? "no reason")"
        case .notStarted: return "it cannot be started"
        }
    }
}
