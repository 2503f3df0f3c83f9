import Foundation
import Glibc
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(1))) struct ProcessPriorityTests {
    private func run(_ program: String, _ arguments: String...) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    /// What a finisher has while anything is on air.
    @Test func whoGivesWayHasTheTimeAndTheDiskThatNobodyWants() throws {
        let (process, _) = try run("/bin/sleep", "60")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        ProcessPriority.giveWay(process.processIdentifier)
        let who = __priority_which_t(PRIO_PROCESS.rawValue)
        #expect(getpriority(who, id_t(process.processIdentifier)) == 19)
        let (asking, output) = try run("/usr/bin/ionice", "-p", "\(process.processIdentifier)")
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        asking.waitUntilExit()
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("idle"))
    }
}
