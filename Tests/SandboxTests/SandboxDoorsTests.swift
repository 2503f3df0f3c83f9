import Foundation
import Glibc
import Sandbox
import Testing

private enum Sanitizer {
    static var isPresent: Bool {
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }
}

/// Every door is tried from inside a process that entered a sandbox as a bot or a finisher does.
///
/// Not with a sanitizer, whose shadow memory is beyond every limit.
@Suite(.timeLimit(.minutes(5)), .enabled(if: !Sanitizer.isPresent))
struct SandboxDoorsTests {
    /// The result of each attempt, from its own process; the test's process is the other one.
    private func doors(_ kind: String, user: SystemUser? = nil) throws -> [String: Int32] {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("roomcast-doors-\(UUID().uuidString)")
        let (own, foreign) = ("\(scratch.path)/own", "\(scratch.path)/foreign")
        for path in [own, foreign] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: scratch) }
        try Data("key".utf8).write(to: URL(fileURLWithPath: "\(foreign)/secret"))
        let process = Process()
        process.executableURL = Self.program
        process.arguments =
            [kind, own, foreign, "\(getpid())"] + (user.map { ["\($0)"] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        var doors: [String: Int32] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            // An older kernel's Landlock supports fewer walls.
            if line.hasPrefix("gap Landlock is of version ") {
                doors["version"] = words.dropFirst(5).first.flatMap { Int32($0.filter(\.isNumber)) }
                continue
            }
            guard words.first != "gap", let last = words.last.flatMap({ Int32($0) }) else {
                Issue.record("\(line)")
                continue
            }
            doors[words.dropLast().joined(separator: " ")] = last
        }
        return doors
    }

    /// The kernel shows the bytes with which a process was started, regardless of later changes to
    /// its variables.
    @Test func whatWasASecretIsNotInTheProcessEnvironment() throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = ["secrets"]
        process.environment = ["KEY": "do-not-show", "KEY2": "shown"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n")
        #expect(lines.contains("hidden 0") && lines.contains("dumpable 0"))
        #expect(lines.contains("known no") && lines.contains("environ KEY2=shown"))
        #expect(!text.contains("do-not-show"))
    }

    private static var program: URL? {
        Bundle.main.executableURL?.deletingLastPathComponent()
            .appendingPathComponent("sandbox-doors")
    }

    private func expectWalls(_ doors: [String: Int32]) {
        let refused = [
            "execve", "fork", "ptrace", "process_vm_readv", "bpf", "keyctl", "mount", "unshare",
            "kexec_load", "io_uring_setup", "setuid", "kill of another", "limits of another",
            "socket unix", "a core image",
        ]
        for door in refused { #expect(doors[door] == EPERM, "\(door)") }
        let walled = [
            "reading another's", "writing another's", "making another's",
            "environment of another", "memory of another", "files of another", "root of another",
            "a setting of the kernel", "settings of others",
            "a program's place", "memory of the machine",
        ]
        for door in walled { #expect([EACCES, ENOENT].contains(doors[door]), "\(door)") }
        #expect([EACCES, EXDEV].contains(doors["linking another's"]))
        let open = [
            "kill of itself", "writing its own", "directory of its own", "moving its own",
            "itself in proc", "a thread in proc", "names of hosts", "a library", "randomness",
            "a thread",
        ]
        for door in open { #expect(doors[door] == 0, "\(door)") }
    }

    @Test func aBotGetsOutByNoDoor() throws {
        let doors = try doors("bot")
        expectWalls(doors)
        for family in ["inet", "inet6", "netlink"] { #expect(doors["socket \(family)"] == 0) }
        if doors["version"] ?? 6 >= 4 { #expect(doors["listening"] == EACCES) }
    }

    /// It can still write into a directory of root's.
    @Test(.enabled(if: SystemUser.mayChange)) func aBotOfRootBecomesSomebodyElse() throws {
        let nobody = try #require(SystemUser(named: "nobody"))
        let doors = try doors("bot", user: nobody)
        expectWalls(doors)
        #expect(doors["user"] == Int32(nobody.user))
    }

    @Test func aFinisherGetsOutByNoDoor() throws {
        let doors = try doors("finisher")
        expectWalls(doors)
        for door in ["socket inet", "socket inet6", "socket netlink", "listening"] {
            #expect(doors[door] == EPERM, "\(door)")
        }
    }
}
