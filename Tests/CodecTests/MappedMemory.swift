import Foundation
import Testing

/// The memory mapped by this process, touched or not.
enum MappedMemory {
    static func bytes() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(counts.split(separator: " ").first.flatMap { Int($0) })
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
