import Glibc
import Subprocess
import Synchronization
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(1))) struct ProcessPriorityTests {
    /// What a finisher has while anything is on air.
    @Test func whoGivesWayHasTheTimeAndTheDiskThatNobodyWants() async throws {
        let found = Mutex<(nice: Int32, disk: String)>((0, ""))
        _ = try await Subprocess.run(
            .name("sleep"), arguments: ["50"], input: .none, output: .discarded, error: .discarded
        ) { execution in
            let child = execution.processIdentifier.value
            defer { kill(child, SIGKILL) }
            ProcessPriority.giveWay(child)
            let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(child))
            let asked = try await Subprocess.run(
                .name("ionice"), arguments: ["-p", "\(child)"], output: .string(limit: 64))
            let disk = asked.standardOutput
            found.withLock { $0 = (nice, disk) }
        }
        let (nice, disk) = found.withLock { $0 }
        #expect(nice == 19)
        #expect(disk.hasPrefix("idle"))
    }
}
