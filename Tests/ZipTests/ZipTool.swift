import Testing
import Workbench

/// An archive on disk, and other programs' views of it.
final class ZipTool {
    private static let name = "archive.zip"
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    var path: String { "\(scratch.path)/\(Self.name)" }

    func write(_ bytes: [UInt8]) throws { try scratch.write(bytes, to: Self.name) }

    /// Info-ZIP's own test: headers, lengths and checksums.
    func unzipFindsNothingWrong() throws -> Bool {
        try Program.run("unzip", ["-tqq", path]).status == 0
    }

    /// Runs Python with the archive open as `z`.
    ///
    /// - Returns: its output, line by line.
    func python(_ script: String) throws -> [String] {
        let program = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n\(script)"
        let result = try Program.run("python3", ["-c", program, path])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }
}
