import Foundation
import Streams

/// What remains of a page beside its stream: its console and its last picture, in files that the
/// origin does not serve.
struct PageLog {
    /// Later lines are dropped.
    static let consoleBytesMaximum = 1 << 20
    static let lineBytesMaximum = 4096

    private let directory: String
    private let file: FileHandle?
    private var bytes = 0

    /// Continues what an earlier bot of the stream has left.
    init(directory: String) {
        self.directory = directory
        let path = "\(directory)/\(PageFile.console.name)"
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        file = FileHandle(forWritingAtPath: path)
        bytes = Int((try? file?.seekToEnd()) ?? 0)
    }

    /// - Parameter date: in the form of RFC 3339.
    mutating func write(_ date: String, _ kind: String, _ text: String) {
        guard bytes < Self.consoleBytesMaximum else { return }
        let words = PageWords.line(text, bytesMaximum: Self.lineBytesMaximum)
        let line = Data("\(date) \(kind) \(words)\n".utf8)
        bytes += line.count
        // The stream is worth more than its page's console.
        try? file?.write(contentsOf: line)
    }

    func keep(picture: [UInt8]) {
        let path = "\(directory)/\(PageFile.screenshot.name)"
        try? Data(picture).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    func close() { try? file?.close() }
}
