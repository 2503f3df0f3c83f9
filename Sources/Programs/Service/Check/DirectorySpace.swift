import Glibc
import Recording

/// Whether a directory can be written, or be made, and the space on its disk. Tried with another
/// one, which is removed at once.
struct DirectorySpace {
    /// Why it cannot be used; nil if it can.
    let fault: String?
    /// In bytes; nil if unknown.
    let free: UInt64?

    init(_ directory: String) {
        let existing = Self.nearest(to: directory)
        // Permissions alone do not tell: a file system may take no directories.
        var trial = Array("\(existing)/.roomcast-check-XXXXXX".utf8CString)
        guard mkdtemp(&trial) != nil else {
            fault = "\(directory) cannot be used: \(String(cString: strerror(errno)))"
            free = nil
            return
        }
        rmdir(trial)
        fault = nil
        free = FreeSpace.bytes(at: existing)
    }

    /// The directory itself, or the first above it that is there.
    static func nearest(to directory: String) -> String {
        var existing = directory
        while access(existing, F_OK) != 0, existing != "/", existing != "." {
            let parent = existing.split(separator: "/").dropLast().joined(separator: "/")
            existing = existing.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
        }
        return existing
    }
}
