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
        String(decoding: bytes("/proc/\(process)/cmdline"), as: UTF8.self)
            .contains("--type=renderer")
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
        let bytes = bytes("/proc/\(process)/status")
        guard let parent = number(after: "PPid:", in: bytes) else { return nil }
        let anonymous = number(after: "RssAnon:", in: bytes) ?? 0
        let shared = number(after: "RssShmem:", in: bytes) ?? 0
        return (pid_t(parent), (anonymous + shared) * 1024)
    }

    /// Made for the keeper, who asks a hundred times a second: no text is made of the bytes.
    static func number(after name: StaticString, in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { buffer in
            let name = UnsafeRawBufferPointer(
                start: name.utf8Start, count: name.utf8CodeUnitCount)
            var rest = buffer[...]
            while !rest.starts(with: name) {
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                rest = rest[(end + 1)...]
            }
            rest = rest.dropFirst(name.count)
                .drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            var number: Int?
            while let byte = rest.popFirst(), isDigit(byte) {
                guard number ?? 0 < .max / 10 else { return nil }
                number = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return number
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func bytes(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 8192) { buffer, filled in
            filled = max(0, read(file, buffer.baseAddress, buffer.count))
        }
    }
}
