public import ChildProcesses
public import MediaKernel
public import Streams

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

/// What is done to a finisher that is at work.
public enum FinisherSignal: Hashable, Sendable {
    /// A stream is on air: it is to take only what CPU and disk nobody else wants.
    case giveWay
    case kill
}

/// Starts finishers. The server does it with processes, tests without.
public protocol FinisherLauncher: Sendable {
    /// Runs one finisher to its end.
    ///
    /// - Parameters:
    ///   - signals: what is to be done to it.
    ///   - report: called for each of its reports, one at a time, in order.
    func run(
        _ job: FinisherJob, signals: AsyncStream<FinisherSignal>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit
}
