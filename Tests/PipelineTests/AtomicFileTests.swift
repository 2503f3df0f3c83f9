import Foundation
import Testing
import Workbench

@testable import Pipeline

@Suite struct AtomicFileTests {
    @Test func aFileAppearsWholeAndReplacesTheOneBefore() throws {
        let scratch = try Scratch()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        try AtomicFile.write(bytes, to: "a.ts", in: scratch.path)
        try AtomicFile.write("short", to: "b.m3u8", in: scratch.path)
        #expect(try scratch.bytes("a.ts") == bytes)
        try AtomicFile.write([1, 2], to: "a.ts", in: scratch.path)
        #expect(try scratch.bytes("a.ts") == [1, 2])
        #expect(scratch.names() == ["a.ts", "b.m3u8"])
    }

    @Test func everybodyMayReadIt() throws {
        let scratch = try Scratch()
        try AtomicFile.write("text", to: "a", in: scratch.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/a")
        let mode = try #require(attributes[.posixPermissions] as? Int)
        #expect(mode & 0o600 == 0o600 && mode & 0o111 == 0)
    }

    @Test func aFailureNamesTheCallAndLeavesNothingBehind() throws {
        let scratch = try Scratch()
        let error = #expect(throws: PipelineError.self) {
            try AtomicFile.write("text", to: "a", in: "\(scratch.path)/nowhere")
        }
        guard case .file(_, "open", ENOENT, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "No such file or directory")

        // A directory blocks the path.
        try AtomicFile.makeDirectory("\(scratch.path)/taken/inside")
        let second = #expect(throws: PipelineError.self) {
            try AtomicFile.write("text", to: "taken", in: scratch.path)
        }
        guard case .file(_, "rename", _, _) = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(scratch.names() == ["taken"])
    }

    @Test func directoriesAreMadeWithTheirParentsAndMayExist() throws {
        let scratch = try Scratch()
        for _ in 0..<2 { try AtomicFile.makeDirectory("\(scratch.path)/a/b/c") }
        #expect(scratch.names(in: "a/b") == ["c"])
        try AtomicFile.write("text", to: "file", in: scratch.path)
        #expect {
            try AtomicFile.makeDirectory("\(scratch.path)/file/below")
        } throws: { error in
            if case PipelineError.file(_, _, ENOTDIR, _) = error { true } else { false }
        }
    }
}
