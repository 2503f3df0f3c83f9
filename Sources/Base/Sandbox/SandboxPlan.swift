/// The resources that a process may reach once it has started: all others are refused.
public struct SandboxPlan: Hashable, Sendable {
    /// The permitted accesses to the files below a path.
    public enum Access: Hashable, Sendable, CaseIterable {
        case read
        /// A device, or a file in `/proc/self`: read, written and controlled, not replaced.
        case use
        /// Files and directories are created, written, linked and removed.
        case write
        /// Only empty directories are removed.
        case prune
    }

    public struct Path: Hashable, Sendable {
        public var path: String
        public var access: Access

        public init(_ path: String, _ access: Access) {
            self.path = path
            self.access = access
        }
    }

    /// The families of sockets, as in socket(2).
    public enum SocketFamily: UInt32, Hashable, Sendable {
        case ipv4 = 2
        case ipv6 = 10
        /// The kernel's list of interfaces and addresses, for name lookups.
        case netlink = 16
    }

    /// Absolute paths; missing ones are left out.
    public var paths: [Path]
    public var families: [SocketFamily]
    public var limits: ResourceLimits
    /// The user that a root process becomes; nil to keep its user.
    public var user: SystemUser?

    /// - Parameters:
    ///   - writable: directories that the process writes to.
    ///   - readable: further paths besides the system's own files.
    ///   - environment: variables with further paths of libraries.
    public init(
        writable: [String], readable: [String] = [], families: [SocketFamily],
        environment: [String: String], limits: ResourceLimits = ResourceLimits(),
        user: SystemUser? = nil
    ) {
        paths =
            SystemPaths.all(environment: environment) + readable.map { Path($0, .read) }
            + writable.map { Path($0, .write) }
        self.families = families
        self.limits = limits
        self.user = user
    }
}
