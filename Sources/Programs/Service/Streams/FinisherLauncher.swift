public import ChildProcesses
public import MediaKernel
public import Streams

/// Everything needed to start a finisher's process.
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

/// A signal to a running finisher.
public enum FinisherSignal: Hashable, Sendable {
    /// A stream is on air: the finisher should use only idle CPU and disk time.
    case giveWay
    case kill
}

/// Starts finishers: as processes in the server, without them in tests.
public protocol FinisherLauncher: Sendable {
    /// Runs one finisher to its end.
    ///
    /// - Parameters:
    ///   - signals: the signals to send.
    ///   - report: called for each report of the finisher, one at a time, in order.
    func run(
        _ job: FinisherJob, signals: AsyncStream<FinisherSignal>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit
}
