import Foundation
import Testing

/// An archive on disk, and what other programs make of it.
final class ZipTool {
    let path: String

    init() {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "roomcast-\(UUID().uuidString).zip").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

    /// Info-ZIP's own test: headers, lengths and checksums.
    func unzipFindsNothingWrong() throws -> Bool { try run("unzip", ["-tqq", path]).status == 0 }

    /// Runs Python with the archive open as `z`.
    ///
    /// - Returns: what it printed, line by line.
    func python(_ script: String) throws -> [String] {
        let program = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n\(script)"
        let result = try run("python3", ["-c", program, path])
        #expect(result.status == 0)
        return result.output.split(separator: "\n").map(String.init)
    }

    private func run(_ name: String, _ arguments: [String]) throws -> (
        status: Int32, output: String
    ) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
