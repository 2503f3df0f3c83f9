import Glibc
import Sandbox
import Testing

@Suite struct ProgramStartTests {
    /// As after an `open` that failed: the program would have this process' own descriptor in its
    /// place, and here it would print into the log of the tests.
    @Test func withoutAllOfItsDescriptorsNothingIsStarted() throws {
        let process = ProgramStart.spawn(
            "/bin/true", [], [], descriptors: [(from: 1, to: 1), (from: -1, to: 0)])
        let code = errno
        if let process { waitpid(process, nil, 0) }
        #expect(process == nil && code == EBADF)
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        let process = ProgramStart.spawn("/nowhere/at/all", [], [])
        #expect(process == nil && errno == ENOENT)
    }

    @Test func aPipeGoesToNoProgramByItself() throws {
        let pipe = try #require(ProgramStart.pipe())
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        for end in [pipe.read, pipe.write] {
            #expect(end > 9 && fcntl(end, F_GETFD) == FD_CLOEXEC)
        }
    }
}
