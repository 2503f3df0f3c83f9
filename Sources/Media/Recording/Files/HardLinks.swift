import Glibc

/// Further names of files, which take no room.
public enum HardLinks {
    private static let name = "link"

    /// Whether a file can get a further name in a directory. It is tried: two mounts of one file
    /// system take no links of each other's files either, and some file systems take none at all.
    ///
    /// - Parameter directory: it exists. What a process that is killed leaves there has the name
    ///   of an unfinished asset.
    public static func areTaken(of file: String, in directory: String) -> Bool {
        let path = "\(directory)/\(AssetFile.temporaryPrefix)\(name)"
        unlink(path)
        guard link(file, path) == 0 else { return false }
        unlink(path)
        return true
    }
}
