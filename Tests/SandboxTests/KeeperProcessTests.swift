import Foundation
import Glibc
import Sandbox
import Testing

@Suite(.timeLimit(.minutes(5))) struct KeeperProcessTests {
    private var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    @Test func itReadsAndWritesPipesAndEndsWithThem() async throws {
        let script = "echo \"${ROOMCAST_SECRET:-none} $PATH\"; cat; cat <&3"
        setenv("ROOMCAST_SECRET", "token", 1)
        let keeper = try KeeperProcess("/bin/sh", ["-c", script], inputs: [0, 3], outputs: [1])
        unsetenv("ROOMCAST_SECRET")
        for (end, text) in zip(keeper.inputs, ["one\nleft out\n", "two\n"]) {
            #expect(write(end, text, text.utf8.count) == text.utf8.count)
            close(end)
        }
        var lines: [String] = []
        let all = KeeperProcess.lines(of: keeper.outputs[0], buffering: .unbounded) {
            $0 == "left out" ? nil : $0
        }
        for await line in all { lines.append(line) }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        #expect(lines == ["none \(path)", "one", "two"])
        // Swift Testing waits for processes of its own, for ever while another one is left over.
        #expect(waitpid(keeper.id, nil, 0) == keeper.id)
    }

    @Test func itSpeaksOverSocketsInBothDirections() throws {
        let keeper = try KeeperProcess(
            "/bin/sh", ["-c", "read line <&5; echo \"got $line\" >&5"], inputs: [0], outputs: [1],
            sockets: [5])
        defer { for end in keeper.inputs + keeper.outputs + keeper.sockets { close(end) } }
        #expect(write(keeper.sockets[0], "it\n", 3) == 3)
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(keeper.sockets[0], &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "got it\n")
        #expect(waitpid(keeper.id, nil, 0) == keeper.id)
    }

    @Test func oneThatCannotBeStartedLeavesNoPipes() {
        let before = descriptorCount
        for _ in 0..<50 {
            #expect(throws: KeeperProcess.Failure.self) {
                try KeeperProcess(
                    "/nowhere/at/all", [], inputs: [0, 3], outputs: [1, 4], sockets: [5])
            }
        }
        // The runtime may open some meanwhile.
        #expect(descriptorCount < before + 50)
    }
}
