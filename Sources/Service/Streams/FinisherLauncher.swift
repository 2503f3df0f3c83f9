public import ChildProcesses
public import MediaKernel

/// Everything a finisher's process needs to be started.
public struct FinisherJob: Hashable, Sendable {
    public var stream: StreamID
    public var directory: String
    /// The root of recordings.
    public var recordings: String

    public init(stream: StreamID, directory: String, recordings: String) {
        self.stream = stream
        self.directory = directory
        self.recordings = recordings
    }
}

/// How a finisher's process came to its end.
public enum FinisherExit: Hashable, Sendable {
    /// The assets are there, and the manifest.
    case finished
    case failed(reason: String)
    /// A disk is full: there is nothing wrong that room does not mend.
    case noRoom(reason: String)
}

/// Starts finishers. The server does it with processes, tests without.
public protocol FinisherLauncher: Sendable {
    /// Runs one finisher to its end.
    ///
    /// - Parameters:
    ///   - kill: yields when it is to be killed.
    ///   - report: called for each of its reports, one at a time, in order.
    func run(
        _ job: FinisherJob, kill: AsyncStream<Void>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit
}
