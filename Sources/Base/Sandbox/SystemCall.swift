/// A call of the kernel that a filter names.
///
/// The numbers are those of `asm/unistd_64.h` for x86-64 and of `asm-generic/unistd.h` for ARM64.
public struct SystemCall: Hashable, Sendable {
    public let name: String
    private let x86: UInt32
    private let arm: UInt32?

    private init(_ name: String, x86: UInt32, arm: UInt32? = nil) {
        self.name = name
        self.x86 = x86
        self.arm = arm
    }

    /// Nil for a call that the architecture does not have.
    public func number(on architecture: Architecture) -> UInt32? {
        switch architecture {
        case .x86: x86
        case .arm: arm
        }
    }
}

extension SystemCall {
    // Starting programs and processes.
    static let execve = SystemCall("execve", x86: 59, arm: 221)
    static let execveat = SystemCall("execveat", x86: 322, arm: 281)
    static let fork = SystemCall("fork", x86: 57)
    static let vfork = SystemCall("vfork", x86: 58)
    static let clone = SystemCall("clone", x86: 56, arm: 220)
    static let clone3 = SystemCall("clone3", x86: 435, arm: 435)

    // Other processes.
    static let ptrace = SystemCall("ptrace", x86: 101, arm: 117)
    static let processVmReadv = SystemCall("process_vm_readv", x86: 310, arm: 270)
    static let processVmWritev = SystemCall("process_vm_writev", x86: 311, arm: 271)
    static let processMadvise = SystemCall("process_madvise", x86: 440, arm: 440)
    static let processMrelease = SystemCall("process_mrelease", x86: 448, arm: 448)
    static let kcmp = SystemCall("kcmp", x86: 312, arm: 272)
    static let pidfdOpen = SystemCall("pidfd_open", x86: 434, arm: 434)
    static let pidfdGetfd = SystemCall("pidfd_getfd", x86: 438, arm: 438)
    static let pidfdSendSignal = SystemCall("pidfd_send_signal", x86: 424, arm: 424)
    static let movePages = SystemCall("move_pages", x86: 279, arm: 239)
    static let migratePages = SystemCall("migrate_pages", x86: 256, arm: 238)
    static let kill = SystemCall("kill", x86: 62, arm: 129)
    static let tkill = SystemCall("tkill", x86: 200, arm: 130)
    static let tgkill = SystemCall("tgkill", x86: 234, arm: 131)
    static let rtSigqueueinfo = SystemCall("rt_sigqueueinfo", x86: 129, arm: 138)
    static let rtTgsigqueueinfo = SystemCall("rt_tgsigqueueinfo", x86: 297, arm: 240)
    static let prlimit64 = SystemCall("prlimit64", x86: 302, arm: 261)
    static let setpriority = SystemCall("setpriority", x86: 141, arm: 140)
    static let ioprioSet = SystemCall("ioprio_set", x86: 251, arm: 30)
    static let schedSetaffinity = SystemCall("sched_setaffinity", x86: 203, arm: 122)
    static let schedSetscheduler = SystemCall("sched_setscheduler", x86: 144, arm: 119)
    static let schedSetparam = SystemCall("sched_setparam", x86: 142, arm: 118)
    static let schedSetattr = SystemCall("sched_setattr", x86: 314, arm: 274)
    static let shmget = SystemCall("shmget", x86: 29, arm: 194)
    static let msgget = SystemCall("msgget", x86: 68, arm: 186)
    static let semget = SystemCall("semget", x86: 64, arm: 190)
    static let mqOpen = SystemCall("mq_open", x86: 240, arm: 180)

    // The kernel.
    static let kexecLoad = SystemCall("kexec_load", x86: 246, arm: 104)
    static let kexecFileLoad = SystemCall("kexec_file_load", x86: 320, arm: 294)
    static let initModule = SystemCall("init_module", x86: 175, arm: 105)
    static let finitModule = SystemCall("finit_module", x86: 313, arm: 273)
    static let deleteModule = SystemCall("delete_module", x86: 176, arm: 106)
    static let createModule = SystemCall("create_module", x86: 174)
    static let reboot = SystemCall("reboot", x86: 169, arm: 142)
    static let bpf = SystemCall("bpf", x86: 321, arm: 280)
    static let perfEventOpen = SystemCall("perf_event_open", x86: 298, arm: 241)
    static let userfaultfd = SystemCall("userfaultfd", x86: 323, arm: 282)
    static let ioUringSetup = SystemCall("io_uring_setup", x86: 425, arm: 425)
    static let ioUringEnter = SystemCall("io_uring_enter", x86: 426, arm: 426)
    static let ioUringRegister = SystemCall("io_uring_register", x86: 427, arm: 427)
    static let syslog = SystemCall("syslog", x86: 103, arm: 116)
    static let keyctl = SystemCall("keyctl", x86: 250, arm: 219)
    static let addKey = SystemCall("add_key", x86: 248, arm: 217)
    static let requestKey = SystemCall("request_key", x86: 249, arm: 218)
    static let iopl = SystemCall("iopl", x86: 172)
    static let ioperm = SystemCall("ioperm", x86: 173)
    static let modifyLdt = SystemCall("modify_ldt", x86: 154)
    static let personality = SystemCall("personality", x86: 135, arm: 92)
    static let uselib = SystemCall("uselib", x86: 134)
    static let lookupDcookie = SystemCall("lookup_dcookie", x86: 212, arm: 18)
    static let nfsservctl = SystemCall("nfsservctl", x86: 180, arm: 42)
    static let sysctl = SystemCall("_sysctl", x86: 156)
    static let acct = SystemCall("acct", x86: 163, arm: 89)

    // File systems and names.
    static let mount = SystemCall("mount", x86: 165, arm: 40)
    static let umount2 = SystemCall("umount2", x86: 166, arm: 39)
    static let mountSetattr = SystemCall("mount_setattr", x86: 442, arm: 442)
    static let moveMount = SystemCall("move_mount", x86: 429, arm: 429)
    static let openTree = SystemCall("open_tree", x86: 428, arm: 428)
    static let fsopen = SystemCall("fsopen", x86: 430, arm: 430)
    static let fsconfig = SystemCall("fsconfig", x86: 431, arm: 431)
    static let fsmount = SystemCall("fsmount", x86: 432, arm: 432)
    static let fspick = SystemCall("fspick", x86: 433, arm: 433)
    static let pivotRoot = SystemCall("pivot_root", x86: 155, arm: 41)
    static let chroot = SystemCall("chroot", x86: 161, arm: 51)
    static let unshare = SystemCall("unshare", x86: 272, arm: 97)
    static let setns = SystemCall("setns", x86: 308, arm: 268)
    static let swapon = SystemCall("swapon", x86: 167, arm: 224)
    static let swapoff = SystemCall("swapoff", x86: 168, arm: 225)
    static let quotactl = SystemCall("quotactl", x86: 179, arm: 60)
    static let quotactlFd = SystemCall("quotactl_fd", x86: 443, arm: 443)
    static let nameToHandleAt = SystemCall("name_to_handle_at", x86: 303, arm: 264)
    static let openByHandleAt = SystemCall("open_by_handle_at", x86: 304, arm: 265)
    static let fanotifyInit = SystemCall("fanotify_init", x86: 300, arm: 262)
    static let mknod = SystemCall("mknod", x86: 133)
    static let mknodat = SystemCall("mknodat", x86: 259, arm: 33)
    static let sethostname = SystemCall("sethostname", x86: 170, arm: 161)
    static let setdomainname = SystemCall("setdomainname", x86: 171, arm: 162)
    static let vhangup = SystemCall("vhangup", x86: 153, arm: 58)

    // The clock.
    static let settimeofday = SystemCall("settimeofday", x86: 164, arm: 170)
    static let clockSettime = SystemCall("clock_settime", x86: 227, arm: 112)
    static let clockAdjtime = SystemCall("clock_adjtime", x86: 305, arm: 266)
    static let adjtimex = SystemCall("adjtimex", x86: 159, arm: 171)

    // Users.
    static let setuid = SystemCall("setuid", x86: 105, arm: 146)
    static let setgid = SystemCall("setgid", x86: 106, arm: 144)
    static let setreuid = SystemCall("setreuid", x86: 113, arm: 145)
    static let setregid = SystemCall("setregid", x86: 114, arm: 143)
    static let setresuid = SystemCall("setresuid", x86: 117, arm: 147)
    static let setresgid = SystemCall("setresgid", x86: 119, arm: 149)
    static let setgroups = SystemCall("setgroups", x86: 116, arm: 159)
    static let setfsuid = SystemCall("setfsuid", x86: 122, arm: 151)
    static let setfsgid = SystemCall("setfsgid", x86: 123, arm: 152)
    static let capset = SystemCall("capset", x86: 126, arm: 91)

    // Checked by their arguments.
    static let socket = SystemCall("socket", x86: 41, arm: 198)
    static let ioctl = SystemCall("ioctl", x86: 16, arm: 29)
}
