import Foundation

/// A directory of its own for one test, gone with it.
final class Scratch {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "roomcast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Names under the directory or one below it, sorted.
    func names(in folder: String = "") -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
        return (names ?? []).sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}
