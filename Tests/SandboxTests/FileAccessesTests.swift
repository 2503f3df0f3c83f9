import Testing

@testable import Sandbox

struct FileAccessesTests {
    @Test func nothingIsAskedForThatAVersionDoesNotKnow() {
        for version in 1...8 {
            let known = FileAccesses.all(version: version)
            for access in SandboxPlan.Access.allCases {
                let rights = FileAccesses.of(access, isDirectory: true, version: version)
                #expect(rights & ~known == 0)
                // LANDLOCK_ACCESS_FS_EXECUTE
                #expect(rights & 1 == 0)
            }
        }
        #expect(FileAccesses.all(version: 1) == 0x1FFF)
        #expect(FileAccesses.all(version: 5) == 0xFFFF)
    }

    @Test func aFileIsAllowedNothingOfDirectories() {
        // LANDLOCK_ACCESS_FS_READ_FILE, WRITE_FILE and TRUNCATE.
        #expect(FileAccesses.of(.write, isDirectory: false, version: 6) == 0x4006)
        #expect(FileAccesses.of(.read, isDirectory: false, version: 6) == 0x4)
    }

    @Test func pathsOfVariablesAreAbsolute() {
        let plan = SandboxPlan(
            writable: ["/out"], families: [],
            environment: ["LD_LIBRARY_PATH": "/a:relative::/b", "HOME": "/", "FONTCONFIG_FILE": ""])
        let read = plan.paths.filter { $0.access == .read }.map(\.path)
        #expect(read.contains("/a") && read.contains("/b"))
        #expect(!read.contains("relative") && !read.contains("/") && !read.contains("//.fonts"))
        #expect(!read.contains("/etc"))
        #expect(plan.paths.filter { $0.access == .write }.map(\.path) == ["/out"])
    }

    @Test func aGapNamesWhatTheKernelLacks() {
        #expect("\(SandboxGap.files(error: 38))" == "Landlock: this kernel does not have it")
        #expect("\(SandboxGap.files(error: 95))" == "Landlock: this kernel has it turned off")
        #expect("\(SandboxGap.calls(error: 22))" == "seccomp: Invalid argument")
        #expect("\(SandboxGap.fileVersion(4))".hasPrefix("Landlock is of version 4"))
    }
}
