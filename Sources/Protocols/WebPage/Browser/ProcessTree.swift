import Glibc
import MediaKernel

/// The processes below one, from `/proc`.
struct ProcessTree {
    struct Entry: Hashable {
        var process: pid_t
        /// Private and shared memory, without mapped files, in bytes. proc(5), `RssAnon` and
        /// `RssShmem`: the sizes that anybody may read.
        var memory: Int
    }

    let entries: [Entry]

    var memory: Int { entries.reduce(0) { $0 + $1.memory } }

    /// The process to end if all of them take too much: the largest of those with a page's code.
    func heaviest(isRenderer: (pid_t) -> Bool = Self.isRenderer) -> pid_t? {
        let largest = entries.sorted { $0.memory > $1.memory }
        return (largest.first { isRenderer($0.process) } ?? largest.first)?.process
    }

    /// Whether the process is a tab's, or another that runs a page's code.
    static func isRenderer(_ process: pid_t) -> Bool {
        text("/proc/\(process)/cmdline").contains("--type=renderer")
    }

    /// Those of these processes that still exist.
    init(of processes: [pid_t]) {
        entries = processes.compactMap { process in
            Self.status(process).map { Entry(process: process, memory: $0.memory) }
        }
    }

    init(entries: [Entry]) { self.entries = entries }

    /// The descendants of a process. It looks at all processes of the machine.
    static func below(_ root: pid_t) -> [pid_t] {
        var children: [pid_t: [pid_t]] = [:]
        for process in all {
            if let parent = status(process)?.parent {
                children[parent, default: []].append(process)
            }
        }
        var (found, next) = ([pid_t](), [root])
        while let process = next.popLast() {
            let below = children[process] ?? []
            found += below
            next += below
        }
        return found
    }

    private static var all: [pid_t] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        var found: [pid_t] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let process = pid_t(name) { found.append(process) }
        }
        return found
    }

    private static func status(_ process: pid_t) -> (parent: pid_t, memory: Int)? {
        let text = text("/proc/\(process)/status")
        guard let parent = number(after: "PPid:", in: text) else { return nil }
        let kilobytes = ["RssAnon:", "RssShmem:"].compactMap { number(after: $0, in: text) }
        return (pid_t(parent), kilobytes.reduce(0, +) * 1024)
    }

    static func number(after name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" })
                .first.flatMap { Int($0) }
        }
        return nil
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
