import ArgumentParser
import ChildProcesses
import Clocks
import Finisher
import Foundation
import Glibc
import Logging
import MediaKernel
import Sandbox
import Service

struct FinishCommand: ParsableCommand, ConfinedCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Make the assets of a stream that has ended. Started by the server.",
        discussion: """
            The directory's stream.json says what is to be made. Reports go to standard output, \
            one JSON object a line. It may be killed and started again at any time.
            """)

    @Option(help: "The root directory of recordings (recordings.directory).")
    var recordings: String

    @Option(
        help: "The user and group to become if started as root, as numbers: 65534:65534.",
        transform: SystemUser.parsing)
    var user: SystemUser?

    @Argument(help: "The stream's own directory.")
    var directory: String

    func confine() {
        FileAccess.narrow()
        ProcessPriority.lower(to: ProcessPriority.finisher)
        OOMScore.raise(by: OOMScore.finisher)
        Sandbox.enter(
            .finisher(
                directory: URL(fileURLWithPath: directory).path,
                recordings: URL(fileURLWithPath: recordings).path,
                environment: ProcessInfo.processInfo.environment, user: user))
    }

    func run() throws {
        // The work goes on even without a parent.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        let logger = Logger.roomcast("roomcast.finisher", level: LogLevel(.info), format: .logfmt)
        logger.reportSandboxGaps()
        let writer = ReportWriter<FinisherReport>()
        let finisher = Finisher(
            directory: URL(fileURLWithPath: directory).path,
            recordings: URL(fileURLWithPath: recordings).path,
            now: { UnixTime.now },
            report: { writer.write($0) })
        do {
            writer.write(.finished(assets: try finisher.run().count))
        } catch {
            writer.write(
                .failed(
                    reason: error.description, isForWantOfRoom: error.isForWantOfRoom))
            throw ExitCode.failure
        }
    }
}
