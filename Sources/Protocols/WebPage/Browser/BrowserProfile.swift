import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The browser's directory. The keeper holds a lock on it, so that the next keeper knows, and
/// removes, those whose keepers were killed.
struct BrowserProfile {
    static let prefix = "roomcast-page-"
    /// A younger one may be about to be locked, in seconds.
    private static let ageMinimum = 10

    let path: String
    private let lock: CInt

    /// Nil if there is no place for it; `errno` says why.
    init?(in directory: String) {
        var template = Array("\(directory)/\(Self.prefix)XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { return nil }
        path = String(cString: made)
        lock = Self.locked(path) ?? -1
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        if lock >= 0 { close(lock) }
    }

    /// Removes what killed keepers have left in these directories.
    static func sweep(_ directories: [String]) {
        for directory in directories {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for name in names where name.hasPrefix(prefix) { sweep("\(directory)/\(name)") }
        }
    }

    private static func sweep(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mtim.tv_sec + ageMinimum < time(nil),
            let lock = locked(path)
        else { return }
        try? FileManager.default.removeItem(atPath: path)
        close(lock)
    }

    /// Nil if another process has the lock.
    private static func locked(_ path: String) -> CInt? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
