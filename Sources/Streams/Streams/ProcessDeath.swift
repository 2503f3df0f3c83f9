public import MediaKernel

/// The death of a process that worked for a stream, and its cause.
public struct ProcessDeath: Hashable, Sendable, Codable {
    public enum Role: String, Hashable, Sendable, Codable { case bot, finisher }

    public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
        /// We killed it: its first segments were not published in time.
        case notReady = "not_ready"
        /// We killed it: it stopped publishing.
        case stoodStill = "stood_still"
        /// We killed it: it did not finish in time after a stop request.
        case notFinished = "not_finished"
        /// We killed it: it stopped reporting progress.
        case silent
        /// We killed it: the server is stopping.
        case serverStopped = "server_stopped"
        /// The kernel killed it: out of memory.
        case outOfMemory = "out_of_memory"
        /// Its own fault: a signal such as SIGSEGV.
        case crashed
        /// A signal that we did not send.
        case outside
        /// It exited by itself, with a reason or a status.
        case gaveUp = "gave_up"
        /// No process was ever started.
        case notStarted = "not_started"
    }

    public var role: Role
    public var cause: Cause
    /// The signal that ended it, and its exit status; nil if there was none.
    public var signal: Int32?
    public var status: Int32?
    /// The process's own message; nil if there was none.
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
    /// A description for the log and a stream's reason.
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
