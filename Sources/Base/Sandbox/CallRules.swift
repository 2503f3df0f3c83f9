import Glibc

/// The system calls that Roomcast's own processes never make.
///
/// These calls are listed and all others are allowed: the calls of codec libraries and graphics
/// drivers are not known in advance. Refused calls fail with EPERM, as without the right: a
/// library's failed attempt ends no stream.
public enum CallRules {
    /// Bits of clone(2), families of socket(2) and requests of ioctl(2).
    private static let cloneThread: UInt32 = 0x10000
    private static let pushesInput: UInt32 = 0x5412
    private static let selectsOnConsole: UInt32 = 0x541C

    /// - Parameters:
    ///   - process: its own id; it may send signals to itself.
    ///   - families: of sockets that the process may open.
    public static func refused(process: UInt32, families: [UInt32]) -> [CallRule] {
        always + processes(process) + [
            CallRule(.socket, when: .isNone(of: families, argument: 0), error: EPERM),
            // Typing into the terminal that the server was started from.
            CallRule(
                .ioctl, when: .isOne(of: [pushesInput, selectsOnConsole], argument: 1), error: EPERM
            ),
        ]
    }

    private static var always: [CallRule] {
        [
            .execve, .execveat, .fork, .vfork,
            .ptrace, .processVmReadv, .processVmWritev, .processMadvise, .processMrelease, .kcmp,
            .pidfdOpen, .pidfdGetfd, .pidfdSendSignal, .movePages, .migratePages, .tkill,
            .shmget, .msgget, .semget, .mqOpen,
            .kexecLoad, .kexecFileLoad, .initModule, .finitModule, .deleteModule, .createModule,
            .reboot, .bpf, .perfEventOpen, .userfaultfd, .ioUringSetup, .ioUringEnter,
            .ioUringRegister, .syslog, .keyctl, .addKey, .requestKey, .iopl, .ioperm, .modifyLdt,
            .personality, .uselib, .lookupDcookie, .nfsservctl, .sysctl, .acct,
            .mount, .umount2, .mountSetattr, .moveMount, .openTree, .fsopen, .fsconfig, .fsmount,
            .fspick, .pivotRoot, .chroot, .unshare, .setns, .swapon, .swapoff, .quotactl,
            .quotactlFd, .nameToHandleAt, .openByHandleAt, .fanotifyInit, .mknod, .mknodat,
            .sethostname, .setdomainname, .vhangup,
            .settimeofday, .clockSettime, .clockAdjtime, .adjtimex,
            .setuid, .setgid, .setreuid, .setregid, .setresuid, .setresgid, .setgroups, .setfsuid,
            .setfsgid, .capset,
        ].map { CallRule($0, error: EPERM) }
    }

    /// Threads may be started, processes may not; calls on processes may only be for this one,
    /// which some calls name by zero.
    private static func processes(_ own: UInt32) -> [CallRule] {
        [
            CallRule(.clone, when: .lacks(bit: cloneThread, argument: 0), error: EPERM),
            // Its flags are in memory, which a filter cannot read. Without this call the C library
            // uses the older one.
            CallRule(.clone3, error: ENOSYS),
            CallRule(.kill, when: .isNone(of: [own], argument: 0), error: EPERM),
            CallRule(.tgkill, when: .isNone(of: [own], argument: 0), error: EPERM),
            CallRule(.rtSigqueueinfo, when: .isNone(of: [own], argument: 0), error: EPERM),
            CallRule(.rtTgsigqueueinfo, when: .isNone(of: [own], argument: 0), error: EPERM),
            CallRule(.prlimit64, when: .isNone(of: [0, own], argument: 0), error: EPERM),
            CallRule(.setpriority, when: .isNone(of: [0, own], argument: 1), error: EPERM),
            CallRule(.setpriority, when: .isNone(of: [0], argument: 0), error: EPERM),
            CallRule(.ioprioSet, when: .isNone(of: [0, own], argument: 1), error: EPERM),
            CallRule(.ioprioSet, when: .isNone(of: [1], argument: 0), error: EPERM),
            CallRule(.schedSetaffinity, when: .isNone(of: [0, own], argument: 0), error: EPERM),
            CallRule(.schedSetscheduler, when: .isNone(of: [0, own], argument: 0), error: EPERM),
            CallRule(.schedSetparam, when: .isNone(of: [0, own], argument: 0), error: EPERM),
            CallRule(.schedSetattr, when: .isNone(of: [0, own], argument: 0), error: EPERM),
        ]
    }
}
