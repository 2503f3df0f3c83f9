import Foundation

/// Other programs that check our output.
public enum Program {
    public struct Result: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    /// Runs a program to its end.
    ///
    /// - Parameter name: as the shell finds it.
    public static func run(_ name: String, _ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        // Files: a process that another test starts at this moment would inherit a pipe, and hold
        // it open for as long as it runs.
        let scratch = try Scratch()
        func file(_ name: String) throws -> FileHandle {
            try FileHandle(forWritingTo: URL(filePath: scratch.write([], to: name)))
        }
        process.standardOutput = try file("output")
        process.standardError = try file("errors")
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try scratch.text("output"),
            errors: try scratch.text("errors"))
    }
}
