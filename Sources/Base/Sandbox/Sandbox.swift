import CSandbox
import Glibc
import Synchronization

/// Confines a process that decodes or processes foreign bytes, to limit what they can do to the
/// machine if they take it over.
public enum Sandbox {
    private static let known = Mutex<[SandboxGap]>([])

    /// The protections that were missing when this process entered the sandbox.
    public static var gaps: [SandboxGap] { known.withLock { $0 } }

    /// Call it once, on the main thread, before there are other threads: Landlock binds the calling
    /// thread and the threads that it starts. It cannot be undone.
    ///
    /// A missing protection is a gap and not an error: the stream is worth more.
    public static func enter(_ plan: SandboxPlan) {
        var gaps = limit(plan.limits)
        let wasRoot = SystemUser.mayChange
        if wasRoot, let user = plan.user, let gap = become(user) { gaps.append(gap) }
        if let gap = dropCapabilities(wasRoot: wasRoot) { gaps.append(gap) }
        if roomcast_refuse_new_privileges() != 0 { gaps.append(.privileges(error: errno)) }
        let threads = threadCount
        if threads > 1 { gaps.append(.threads(threads)) }
        if let gap = Landlock.enforce(plan) { gaps.append(gap) }
        // Last, since the filter refuses calls that the other protections need.
        if let gap = filterCalls(plan) { gaps.append(gap) }
        known.withLock { [gaps] in $0 = gaps }
    }

    private static var threadCount: Int {
        guard let tasks = opendir("/proc/self/task") else { return 1 }
        defer { closedir(tasks) }
        var count = 0
        while let entry = readdir(tasks) {
            // Without `.` and `..`.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return max(count, 1)
    }

    private static func limit(_ limits: ResourceLimits) -> [SandboxGap] {
        let wanted: [(String, __rlimit_resource_t, UInt64)] = [
            ("core", __rlimit_resource_t(RLIMIT_CORE.rawValue), limits.coreBytes),
            ("data", __rlimit_resource_t(RLIMIT_DATA.rawValue), limits.dataBytes),
            ("threads", __rlimit_resource_t(roomcast_thread_limit), limits.threads),
            ("open files", __rlimit_resource_t(RLIMIT_NOFILE.rawValue), limits.openFiles),
        ]
        return wanted.compactMap { name, number, value in
            var limit = rlimit()
            guard getrlimit(number, &limit) == 0 else { return .limit(name, error: errno) }
            limit.rlim_max = min(limit.rlim_max, rlim_t(value))
            limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
            return setrlimit(number, &limit) == 0 ? nil : .limit(name, error: errno)
        }
    }

    private static func become(_ user: SystemUser) -> SandboxGap? {
        roomcast_become(user.user, user.group) == 0 ? nil : .user(user, error: errno)
    }

    /// A server that runs as root may write to other users' directories, and so may its bots as any
    /// user, within Landlock's limits: CAP_DAC_OVERRIDE and CAP_FOWNER stay.
    private static func dropCapabilities(wasRoot: Bool) -> SandboxGap? {
        let kept: UInt32 = wasRoot ? 1 << 1 | 1 << 3 : 0
        return roomcast_keep_capabilities(kept) == 0 ? nil : .capabilities(error: errno)
    }

    private static func filterCalls(_ plan: SandboxPlan) -> SandboxGap? {
        guard let architecture = Architecture.current else { return .architecture }
        let rules = CallRules.refused(
            process: UInt32(getpid()), families: plan.families.map(\.rawValue))
        let filter = CallFilter(rules, on: architecture, foreignError: EPERM)
        var instructions = filter.instructions.map {
            sock_filter(code: $0.code, jt: $0.whenTrue, jf: $0.whenFalse, k: $0.value)
        }
        let result = roomcast_filter_calls(&instructions, UInt16(instructions.count))
        return result == 0 ? nil : .calls(error: result > 0 ? EBUSY : errno)
    }
}
