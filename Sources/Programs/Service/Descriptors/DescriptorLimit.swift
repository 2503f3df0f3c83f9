import Glibc

/// The limit on this process's file descriptors. getrlimit(2), RLIMIT_NOFILE
enum DescriptorLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// The kernel's present limit.
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit to the hard limit: the usual soft limit of 1024 is for interactive
    /// programs. Children inherit it.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
