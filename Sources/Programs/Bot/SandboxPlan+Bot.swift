import Foundation
public import Sandbox

extension SandboxPlan {
    /// The plan of a bot: it writes into its own directory, which is created here if necessary, and
    /// connects to the server and the hosts of images.
    ///
    /// - Parameters:
    ///   - outputDirectory: absolute, like the configuration's path.
    ///   - picturesDirectory: that of the uploaded pictures; nil for none.
    ///   - authorities: a file in PEM form that the bot reads later; nil for none.
    ///   - environment: the process' environment.
    ///   - user: the user that the process becomes if it runs as root.
    public static func bot(
        outputDirectory: String, configuration: String, picturesDirectory: String? = nil,
        authorities: String? = nil, environment: [String: String], user: SystemUser?
    ) -> SandboxPlan {
        // If the directory cannot be created, the stream fails with that error when it first needs
        // it.
        try? FileManager.default.createDirectory(
            atPath: outputDirectory, withIntermediateDirectories: true)
        return SandboxPlan(
            writable: [outputDirectory],
            readable: [configuration] + [picturesDirectory, authorities].compactMap(\.self),
            families: [.ipv4, .ipv6, .netlink], environment: environment, user: user)
    }
}
