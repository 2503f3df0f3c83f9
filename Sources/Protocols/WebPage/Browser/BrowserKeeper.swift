import CProcesses
import Glibc
public import MediaKernel
public import Sandbox

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps one browser for a bot that cannot: the bot's sandbox allows neither to start a program nor
/// to end another process.
///
/// A process of its own between the two. It starts the browser as an unprivileged user, watches the
/// memory of all its processes, and ends every one of them when the bot closes the keeper's
/// standard input, which the kernel does when the bot dies. The browser's pipe passes through it as
/// descriptors 3 and 4. Over descriptor 5 it hands the bot the file of the browser's pictures.
public struct BrowserKeeper: Sendable {
    public struct Options: Sendable {
        public var user: SystemUser?
        public var proxyPort: UInt16
        public var stageKey: String
        /// Of all processes of the browser, in bytes.
        public var memoryMaximum: Int
        /// That the browser may use.
        public var coresMaximum: Int
        /// Whose pages may use WebRTC.
        public var hosts: WebHosts

        public init(
            user: SystemUser?, proxyPort: UInt16, stageKey: String, memoryMaximum: Int,
            coresMaximum: Int, hosts: WebHosts
        ) {
            self.user = user
            self.proxyPort = proxyPort
            self.stageKey = stageKey
            self.memoryMaximum = memoryMaximum
            self.coresMaximum = coresMaximum
            self.hosts = hosts
        }
    }

    /// How often the memory is read. A page may fill a gigabyte in a few of these.
    private static let interval: CInt = 100  // ms
    /// How many of these pass between looks for new processes, which are at all of the machine's.
    private static let roundsBetweenScans = 5
    /// How much less urgent a page is than the stream's own encoders.
    private static let niceness: CInt = 5
    private static let openFilesMaximum: rlim_t = 4096
    /// Of one file, e.g. a page's database.
    private static let fileBytesMaximum: rlim_t = 256 << 20
    /// Where the profile lies if there is room, so that no picture is written to a disk.
    private static let sharedMemory = "/dev/shm"
    private static let sharedMemoryMinimum: UInt64 = 256 << 20
    /// The socket to the bot.
    private static let pictures: CInt = 5
    private static let endRounds = 50
    private static let endInterval: UInt32 = 20_000  // µs

    private let options: Options

    public init(_ options: Options) { self.options = options }

    /// Runs the browser to its end.
    ///
    /// - Returns: this process' exit status.
    public func run() -> Int32 {
        _ = roomcast_adopt_orphans()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        let wasRoot = SystemUser.mayChange
        let gaps = PlainUser.enter(options.user)
        for gap in gaps { complain("the browser's keeper: \(gap)") }
        limit()
        guard let program = BrowserProgram.path else {
            complain(BrowserProgram.lack)
            return 1
        }
        BrowserProfile.sweep([Self.sharedMemory, temporary])
        let hasSharedMemory = hasSharedMemory
        let place = hasSharedMemory ? Self.sharedMemory : temporary
        guard let directory = BrowserProfile(in: place) else {
            complain("\(place): \(String(cString: strerror(errno)))")
            return 1
        }
        defer { directory.remove() }
        let profile = directory.path
        guard writePreferences(in: profile) else {
            complain("\(profile) cannot be written: \(String(cString: strerror(errno)))")
            return 1
        }
        let doubt = sandboxDoubt(isRoot: wasRoot && geteuid() == 0)
        if let doubt { report(.unconfined(doubt)) }
        let arguments = BrowserProgram.arguments(
            profile: profile, proxyPort: options.proxyPort, stageKey: options.stageKey,
            hasSandbox: doubt == nil, hasSharedMemory: hasSharedMemory)
        let status: Int
        // What it says is noise, or a page's, and must not be taken for the keeper's reports.
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else {
            complain("/dev/null cannot be opened: \(String(cString: strerror(errno)))")
            return 1
        }
        let browser = ProgramStart.spawn(
            program, arguments, environment(profile),
            descriptors: [(nothing, 0), (nothing, 1), (nothing, 2), (nothing, Self.pictures)])
        close(nothing)
        if let browser {
            // Only the browser is to hold them: when the bot closes its ends, the browser ends.
            close(3)
            close(4)
            status = watch(browser, profile: profile)
            report(.ended(status: status))
        } else {
            complain("\(program) cannot be started: \(String(cString: strerror(errno)))")
            status = 1
        }
        endAll()
        return status == 0 ? 0 : 1
    }

    private func writePreferences(in profile: String) -> Bool {
        let file = URL(fileURLWithPath: "\(profile)/\(BrowserPreferences.path)")
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(BrowserPreferences.bytes(hosts: options.hosts)).write(to: file)
            return true
        } catch {
            return false
        }
    }

    private var temporary: String {
        let set = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        return access(set, W_OK) == 0 ? set : "/tmp"
    }

    private var hasSharedMemory: Bool {
        var disk = statvfs()
        guard statvfs(Self.sharedMemory, &disk) == 0,
            access(Self.sharedMemory, W_OK) == 0
        else { return false }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) >= Self.sharedMemoryMinimum
    }

    /// Nothing of the server's: no token, no key.
    private func environment(_ profile: String) -> [String] {
        let own = ProcessInfo.processInfo.environment
        let kept = ["LANG", "LC_ALL", "TZ"].compactMap {
            name in own[name].map { "\(name)=\($0)" }
        }
        return kept + ["HOME=\(profile)", "TMPDIR=\(profile)", "PATH=/usr/bin:/bin"]
    }

    private func limit() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        // The browsers of several streams begin at different cores.
        if roomcast_limit_cores(CInt(options.coresMaximum), CUnsignedInt(getpid())) < 0 {
            let reason = String(cString: strerror(errno))
            complain("the browser's keeper: the cores cannot be limited: \(reason)")
        }
        func set(_ number: __rlimit_resource, _ value: rlim_t) {
            var limit = rlimit()
            let resource = __rlimit_resource_t(number.rawValue)
            guard getrlimit(resource, &limit) == 0 else { return }
            limit.rlim_max = min(limit.rlim_max, value)
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
        }
        set(RLIMIT_CORE, 0)
        set(RLIMIT_NOFILE, Self.openFilesMaximum)
        set(RLIMIT_FSIZE, Self.fileBytesMaximum)
    }

    /// Why the browser's own sandbox cannot work here; nil if it can. It makes a user namespace,
    /// which some containers forbid.
    private func sandboxDoubt(isRoot: Bool) -> String? {
        if isRoot { return "the bot runs as root: set bots.user" }
        guard let probe = ProgramStart.spawn("/usr/bin/unshare", ["--user", "/bin/true"], []) else {
            return nil
        }
        var status: CInt = 0
        while waitpid(probe, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? nil : "user namespaces are not allowed on this machine"
    }

    /// Until the browser has exited, or the bot is gone.
    private func watch(_ browser: pid_t, profile: String) -> Int {
        var (round, known) = (0, [pid_t]())
        var isGiven = false
        while true {
            var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            let isOver = poll(&input, 1, Self.interval) > 0 && isInputOver()
            var status: CInt = 0
            var reaped = waitpid(-1, &status, WNOHANG)
            while reaped > 0 {
                if reaped == browser { return status & 0x7F == 0 ? Int(status >> 8 & 0xFF) : 255 }
                reaped = waitpid(-1, &status, WNOHANG)
            }
            if isOver { return 0 }
            if !isGiven { isGiven = givePictures(of: profile) }
            if round % Self.roundsBetweenScans == 0 { known = ProcessTree.below(getpid()) }
            round += 1
            let tree = ProcessTree(of: known)
            if tree.memory > options.memoryMaximum, let process = tree.heaviest() {
                report(.overweight(megabytes: tree.memory / 1_000_000))
                kill(process, SIGKILL)
            }
        }
    }

    /// - Returns: whether there is nothing more to do.
    private func givePictures(of profile: String) -> Bool {
        guard PictureFile.isAwaited(over: Self.pictures) else { return true }
        guard let file = PictureFile.find(in: profile, key: options.stageKey) else { return false }
        PictureFile.give(file, over: Self.pictures)
        return true
    }

    private func isInputOver() -> Bool {
        var byte: UInt8 = 0
        return read(0, &byte, 1) <= 0
    }

    /// Ends every descendant; those whose parents are gone are this process' children by now.
    private func endAll() {
        for _ in 0..<Self.endRounds {
            let left = ProcessTree.below(getpid())
            for process in left { kill(process, SIGKILL) }
            var status: CInt = 0
            while waitpid(-1, &status, WNOHANG) > 0 {}
            if left.isEmpty { return }
            usleep(Self.endInterval)
        }
    }

    private func report(_ report: BrowserReport) {
        let line = Array("\(report.line)\n".utf8)
        _ = write(1, line, line.count)
    }

    private func complain(_ words: String) {
        let line = Array("\(words)\n".utf8)
        _ = write(2, line, line.count)
    }
}
