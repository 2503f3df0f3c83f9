import Logging
import MediaKernel
import Subprocess
import SystemPackage

/// The operator's script, which takes over the directory of a recording that is complete. It has
/// this program's variables, as Jibri's has.
struct FinalizeScript: Sendable {
    /// Jibri waits for ever. One that takes longer has hung.
    static let timeout = Duration.seconds(6 * 3600)
    /// From the request to end until it is killed.
    private static let grace = Duration.seconds(10)

    let path: String
    let logger: Logger
    var timeout = Self.timeout

    /// Waits for its end, which is logged.
    ///
    /// - Returns: whether it ended well.
    @discardableResult
    func run(_ directory: String) async -> Bool {
        var logger = logger
        logger[metadataKey: "directory"] = "\(directory)"
        logger.info("jibri: finalizes", metadata: ["script": "\(path)"])
        do {
            let timeout = timeout
            var options = PlatformOptions()
            options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.grace)]
            let result = try await withThrowingTaskGroup(of: TerminationStatus?.self) { group in
                group.addTask { [options] in
                    // Its output is part of our log. A pipe would stay open as long as a program that
                    // it leaves behind.
                    try await Subprocess.run(
                        path.contains("/") ? .path(FilePath(path)) : .name(path),
                        arguments: [directory], platformOptions: options, input: .none,
                        output: .currentStandardError, error: .currentStandardError
                    ).terminationStatus
                }
                group.addTask {
                    try await Task.sleep(for: timeout)
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
        } catch {
            logger.error(
                "jibri: the finalize script cannot be run", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
