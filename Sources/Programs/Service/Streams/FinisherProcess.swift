public import ChildProcesses
import MediaKernel
public import Sandbox
public import Streams
import Subprocess
import Synchronization
import SystemPackage

/// Starts finishers as processes of their own: `<executable> finish …`. A finisher whose parent
/// dies continues to its end; the next server's finisher waits for it and finds the work done.
public struct FinisherProcess: FinisherLauncher {
    private let executable: String
    private let user: SystemUser?

    /// - Parameters:
    ///   - executable: the path of the program with the `finish` command.
    ///   - user: the user that runs finishers; nil for the server's own.
    public init(executable: String, user: SystemUser?) {
        self.executable = executable
        self.user = user
    }

    public func run(
        _ job: FinisherJob, signals: AsyncStream<FinisherSignal>,
        report: @escaping @Sendable (FinisherReport) async -> Void
    ) async -> FinisherExit {
        let failure = Mutex<FinisherExit?>(nil)
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable)),
                arguments: Arguments(
                    ["finish", "--recordings", job.recordings]
                        + ChildProcess.arguments(as: user) + [job.directory]),
                environment: ChildProcess.environment(), input: .none, output: .sequence,
                error: .currentStandardError
            ) { execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await signal in signals {
                            switch signal {
                            case .giveWay:
                                ProcessPriority.giveWay(execution.processIdentifier.value)
                            case .kill: try? execution.send(signal: .kill)
                            }
                        }
                    }
                    let lines = execution.standardOutput.strings(
                        separatedBy: ChildProcess.lineEnd,
                        bufferingPolicy: .maxLineLength(FinisherReport.lineBytesMaximum))
                    for try await line in lines {
                        guard let event = FinisherReport(line: line) else { continue }
                        if case .failed(let reason, let isForWantOfRoom) = event {
                            failure.withLock {
                                $0 =
                                    isForWantOfRoom
                                    ? .noRoom(reason: reason)
                                    : .failed(reason: reason, .reported)
                            }
                        }
                        await report(event)
                    }
                    group.cancelAll()
                }
            }
            if let exit = failure.withLock({ $0 }) { return exit }
            guard result.terminationStatus.isSuccess else {
                return .failed(reason: "", ProcessEnding(result.terminationStatus))
            }
            return .finished
        } catch {
            return .failed(reason: "the finisher cannot be run: \(error)")
        }
    }
}
