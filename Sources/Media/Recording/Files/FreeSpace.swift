import Glibc

/// Free space on the disks.
public enum FreeSpace {
    /// The free bytes below a directory; nil when unknown.
    public static func bytes(at directory: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
