import Glibc

/// Hard links: further names of files, which take no space.
public enum HardLinks {
    private static let name = "link"

    /// Whether a file can be linked into a directory. The method tries it: two mounts of one file
    /// system do not link to each other's files, and some file systems have no links at all.
    ///
    /// - Parameter directory: must exist. A killed process may leave a file there that is named
    ///   like an unfinished asset.
    public static func areTaken(of file: String, in directory: String) -> Bool {
        let path = "\(directory)/\(AssetFile.temporaryPrefix)\(name)"
        unlink(path)
        guard link(file, path) == 0 else { return false }
        unlink(path)
        return true
    }
}
