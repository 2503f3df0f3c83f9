import Foundation

/// One test's own directory, removed with it.
public final class Scratch: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "roomcast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Names under the directory or one below it, sorted.
    public func names(in folder: String = "") -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
        return (names ?? []).sorted()
    }

    public func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    public func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    public func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    /// Also makes the directories above the file, and replaces the file in one step.
    ///
    /// - Returns: the file's path.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let url = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: .atomic)
        return url.path
    }

    /// Makes an executable shell script in place of a program.
    ///
    /// The executable file itself is never written here: a process that another test starts at
    /// that moment would inherit the open file, and the kernel starts no file that somebody has
    /// open for writing (execve(2): `ETXTBSY`). So it is a link to a script that runs `lines`.
    ///
    /// - Returns: its path.
    public func program(_ lines: String, name: String = "program") throws -> String {
        try write("\(lines)\n".utf8, to: "\(name).lines")
        let path = "\(path)/\(name)"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: Self.script.path)
        return path
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Programs/script")
}
