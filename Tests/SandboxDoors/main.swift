// Enters a sandbox like a bot's or a finisher's and tries every door from inside: one line
// "<door> <errno>" for each, 0 where it opened. Arguments: the families of sockets, a directory of
// its own, one of somebody else's, somebody else's process, and perhaps the user to become.
import CSandbox
import Glibc
import Sandbox

let arguments = CommandLine.arguments
if arguments == [arguments[0], "secrets"] { showSecrets() }
guard [5, 6].contains(arguments.count), let other = pid_t(arguments[4]) else { exit(2) }
let (own, foreign) = (arguments[2], arguments[3])

/// The environment of a process that has forgotten the variable KEY, as others see it.
func showSecrets() -> Never {
    ProcessSecrets.forget(["KEY"])
    print("hidden", ProcessSecrets.hide())
    print("dumpable", roomcast_try_call(Int(SYS_prctl), 3, 0, 0))
    print("known", getenv("KEY") == nil ? "no" : "yes")
    let file = open("/proc/self/environ", O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(file, &bytes, bytes.count)
    for variable in bytes.prefix(max(0, count)).split(separator: 0) {
        print("environ", String(decoding: variable, as: UTF8.self))
    }
    exit(0)
}

let families: [SandboxPlan.SocketFamily] = arguments[1] == "bot" ? [.ipv4, .ipv6, .netlink] : []

func report(_ door: String, _ result: Int) { print(door, result < 0 ? errno : 0) }

func tried(_ door: String, _ body: () -> Int32) {
    errno = 0
    report(door, Int(body()))
}

func opened(_ path: String, _ flags: Int32) -> Int32 {
    let file = open(path, flags | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
    return file
}

func called(
    _ number: Int, _ first: Int = 0, _ second: Int = 0, _ third: Int = 0
) -> Int32 { Int32(truncatingIfNeeded: roomcast_try_call(number, first, second, third)) }

Sandbox.enter(
    SandboxPlan(
        writable: [own], families: families, environment: [:],
        user: arguments.dropFirst(5).first.flatMap { SystemUser($0) }))
for gap in Sandbox.gaps { print("gap", gap) }
print("user", geteuid())

tried("execve") {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    return execv("/bin/true", &arguments)
}
tried("fork") { called(Int(SYS_clone), Int(SIGCHLD)) }
tried("ptrace") { called(Int(SYS_ptrace), 16, Int(other)) }
tried("process_vm_readv") { called(Int(SYS_process_vm_readv), Int(other)) }
tried("bpf") { called(Int(SYS_bpf), 0) }
tried("keyctl") { called(Int(SYS_keyctl), 0, -3) }
tried("mount") { called(Int(SYS_mount)) }
tried("unshare") { called(Int(SYS_unshare), 0x1000_0000) }
tried("kexec_load") { called(Int(SYS_kexec_load)) }
tried("io_uring_setup") { called(Int(SYS_io_uring_setup), 1) }
tried("setuid") { called(Int(SYS_setuid), 0) }
tried("kill of another") { kill(other, 0) }
tried("kill of itself") { kill(getpid(), 0) }
tried("limits of another") { called(Int(SYS_prlimit64), Int(other), 7) }
for (name, family) in [("inet", AF_INET), ("inet6", AF_INET6), ("unix", AF_UNIX)] {
    tried("socket \(name)") { socket(family, Int32(SOCK_DGRAM.rawValue), 0) }
}
tried("socket netlink") { socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0) }
tried("listening") {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { return -1 }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
tried("writing its own") { opened("\(own)/segment.ts", O_WRONLY | O_CREAT) }
tried("directory of its own") { mkdir("\(own)/layer", 0o700) }
tried("moving its own") { rename("\(own)/segment.ts", "\(own)/layer/segment.ts") }
tried("reading another's") { opened("\(foreign)/secret", O_RDONLY) }
tried("writing another's") { opened("\(foreign)/secret", O_WRONLY) }
tried("making another's") { opened("\(foreign)/new", O_WRONLY | O_CREAT) }
tried("linking another's") { link("\(foreign)/secret", "\(own)/secret") }
tried("environment of another") { opened("/proc/\(other)/environ", O_RDONLY) }
tried("root of another") { opened("/proc/\(other)/root/etc/passwd", O_RDONLY) }
tried("memory of another") { opened("/proc/\(other)/mem", O_RDONLY) }
tried("files of another") { opened("/proc/\(other)/fd/0", O_RDONLY) }
tried("a setting of the kernel") { opened("/proc/sys/kernel/core_pattern", O_WRONLY) }
tried("itself in proc") { opened("/proc/self/status", O_RDONLY) }
tried("settings of others") { opened("/etc/shadow", O_RDONLY) }
tried("names of hosts") { opened("/etc/hosts", O_RDONLY) }
tried("a library") { opened("/usr/bin/env", O_RDONLY) }
tried("a program's place") { opened("/usr/local/bin/roomcast-test", O_WRONLY | O_CREAT) }
tried("randomness") { opened("/dev/urandom", O_RDONLY) }
tried("memory of the machine") { opened("/dev/mem", O_RDONLY) }
tried("a thread") {
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, idle, nil)
    if result == 0 { pthread_join(thread, nil) }
    errno = result
    return result == 0 ? 0 : -1
}
tried("a thread in proc") {
    opened("/proc/\(startWaiting())/stat", O_RDONLY)
}
tried("a core image") {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    errno = EPERM
    return limit.rlim_max == 0 ? -1 : 0
}
