import Foundation
public import Sandbox

extension SandboxPlan {
    /// Of a bot: it writes into its own directory, which is made here if need be, and reaches the
    /// server and the hosts of images.
    ///
    /// - Parameters:
    ///   - outputDirectory: absolute, like the configuration's path.
    ///   - environment: the process' own.
    ///   - user: whom it becomes if it is root.
    public static func bot(
        outputDirectory: String, configuration: String, environment: [String: String],
        user: SystemUser?
    ) -> SandboxPlan {
        // A directory that cannot be made is the stream's failure, said when it is first needed.
        try? FileManager.default.createDirectory(
            atPath: outputDirectory, withIntermediateDirectories: true)
        return SandboxPlan(
            writable: [outputDirectory], readable: [configuration],
            families: [.ipv4, .ipv6, .netlink], environment: environment, user: user)
    }
}
