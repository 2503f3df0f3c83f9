import Dispatch
import Testing
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(1))) struct DirectoryCheckTests {
    @Test func aDirectoryNeedNotBeThereYet() throws {
        let scratch = try Scratch()
        for directory in [scratch.path, "\(scratch.path)/a/b"] {
            #expect(DirectoryCheck.fault(of: directory, freeMinimum: 1) == nil)
        }
    }

    @Test func aFullDiskIsSaidWithItsFigures() throws {
        let scratch = try Scratch()
        for directory in [scratch.path, "\(scratch.path)/a/b"] {
            let fault = try #require(
                DirectoryCheck.fault(of: directory, freeMinimum: 1 << 60))
            #expect(fault.hasPrefix("\(directory): "))
            #expect(fault.hasSuffix(" MiB are free, \(1 << 40) MiB are needed"))
        }
    }

    @Test func aDiskThatDoesNotAnswerIsAFault() async {
        let gate = DispatchSemaphore(value: 0)
        let check = DirectoryCheck("/rec", timeout: .milliseconds(50)) {
            gate.wait()
            return nil
        }
        #expect(await check.fault() == "/rec: the recordings directory does not answer")
        // The second one does not hang beside the first.
        #expect(await check.fault() == "/rec: the recordings directory does not answer")
        for _ in 0..<2 { gate.signal() }
        #expect(await comesAbout { await check.fault() == nil })
    }
}
