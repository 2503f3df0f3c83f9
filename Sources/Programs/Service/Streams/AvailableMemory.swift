import Glibc

/// The memory that new processes can get without others losing theirs.
enum AvailableMemory {
    /// In bytes; nil if the kernel does not say. proc_meminfo(5), `MemAvailable`.
    static var bytes: Int? {
        guard let file = fopen("/proc/meminfo", "re") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = fread(&text, 1, text.count, file)
        return read(String(decoding: text[..<count], as: UTF8.self))
    }

    static func read(_ text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
