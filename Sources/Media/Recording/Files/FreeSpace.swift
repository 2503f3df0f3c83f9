import Glibc

/// Room on the disks.
public enum FreeSpace {
    /// What may still be written below a directory; nil when that is not known.
    public static func bytes(at directory: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
