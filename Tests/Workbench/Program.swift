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
        let pipe = Pipe()
        process.standardOutput = pipe
        // A file, since a second pipe without a reader could fill up.
        let scratch = try Scratch()
        let errors = try scratch.write([], to: "errors")
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: try scratch.text("errors"))
    }
}
