import Glibc
import Recording
import Testing

@testable import Pipeline

@Suite struct PipelineFailureTests {
    @Test(arguments: [(ENOSPC, true), (EDQUOT, true), (EIO, false)])
    func aFullDiskIsToldFromOtherFaults(code: Int32, isForWantOfRoom: Bool) {
        let errors: [any Error] = [
            PipelineError.file(path: "p", call: "write", code: code, reason: "r"),
            RecordingError.file(path: "p", call: "write", code: code, reason: "r"),
        ]
        for error in errors {
            let failure = PipelineFailure(error, in: "layer 1")
            #expect(failure.isForWantOfRoom == isForWantOfRoom)
            #expect(failure.reason == "layer 1: write p: r")
        }
    }

    @Test func whatIsNoDisksFaultIsNot() {
        #expect(!PipelineFailure(PipelineError.settings("x")).isForWantOfRoom)
        #expect(!PipelineFailure("No space left on device").isForWantOfRoom)
    }
}
