import Logging
import MediaKernel
import Subprocess
import SystemPackage

/// The operator's script, which takes over the directory of a recording that is complete. It has
/// this program's variables, as Jibri's has.
struct FinalizeScript: Sendable {
    /// Jibri waits for ever. One that takes longer has hung.
    static let timeout = Duration.seconds(6 * 3600)
    /// One that takes longer than any upload should is worth a look.
    static let patience = Duration.seconds(3600)
    /// From the request to end until it is killed, with all that it has started.
    static let grace = Duration.seconds(10)

    let path: String
    let logger: Logger
    var timeout = Self.timeout
    var patience = Self.patience
    var grace = Self.grace

    /// Waits for its end, which is logged.
    ///
    /// - Returns: whether it ended well.
    @discardableResult
    func run(_ directory: String) async -> Bool {
        var logger = logger
        logger[metadataKey: "directory"] = "\(directory)"
        logger.info("jibri: finalizes", metadata: ["script": "\(path)"])
        do {
            let (timeout, patience, script) = (timeout, patience, self)
            let result = try await withThrowingTaskGroup(of: TerminationStatus?.self) { group in
                group.addTask { try await script.status(for: directory) }
                group.addTask { [logger] in
                    try await Task.sleep(for: min(patience, timeout))
                    if patience < timeout {
                        logger.warning(
                            "jibri: the finalize script still runs",
                            metadata: ["seconds": "\(patience.inSeconds)"])
                        try await Task.sleep(for: timeout - patience)
                    }
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            guard let result else {
                logger.error(
                    "jibri: the finalize script was ended",
                    metadata: ["reason": "it took longer than \(timeout.inSeconds) s"])
                return false
            }
            logger.log(
                level: result.isSuccess ? .info : .error, "jibri: the finalize script has ended",
                metadata: ["status": "\(result)"])
            return result.isSuccess
        } catch is CancellationError {
            logger.notice("jibri: the finalize script was ended with the program, and is run again")
            return false
        } catch {
            logger.error(
                "jibri: the finalize script cannot be run", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// What the script has started ends with it when it is ended: the next start runs it again. It
    /// is a session of its own, so that this reaches nobody else.
    private func status(for directory: String) async throws -> TerminationStatus {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace)
        ]
        let group = ScriptGroup()
        do {
            // Its output goes to our log. With a pipe we would wait for any program that it leaves
            // running.
            let result = try await Subprocess.run(
                path.contains("/") ? .path(FilePath(path)) : .name(path),
                arguments: [directory], platformOptions: options, input: .none,
                output: .currentStandardError, error: .currentStandardError
            ) { group.begin($0.processIdentifier.value) }
            if Task.isCancelled { await group.end(within: grace) }
            return result.terminationStatus
        } catch {
            await group.end(within: grace)
            throw error
        }
    }
}
