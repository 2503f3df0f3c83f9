/// Landlock's names of the accesses to files: landlock(7), "Filesystem actions". The access to
/// start programs is never granted.
public enum FileAccesses {
    private static let execute: UInt64 = 1 << 0
    private static let writeFile: UInt64 = 1 << 1
    private static let readFile: UInt64 = 1 << 2
    private static let readDirectory: UInt64 = 1 << 3
    private static let removeDirectory: UInt64 = 1 << 4
    private static let removeFile: UInt64 = 1 << 5
    private static let makeDirectory: UInt64 = 1 << 7
    private static let makeFile: UInt64 = 1 << 8
    /// Links and renames from one directory into another; always refused before the second version.
    private static let refer: UInt64 = 1 << 13
    private static let truncate: UInt64 = 1 << 14
    private static let controlDevice: UInt64 = 1 << 15

    /// The accesses that apply to a file that is not a directory.
    private static let ofFiles = execute | writeFile | readFile | truncate | controlDevice

    /// Everything that a version of Landlock can refuse.
    public static func all(version: Int) -> UInt64 {
        switch version {
        case ..<2: refer - 1
        case 2: truncate - 1
        case 3, 4: controlDevice - 1
        default: (controlDevice << 1) - 1
        }
    }

    public static func of(
        _ access: SandboxPlan.Access, isDirectory: Bool, version: Int
    ) -> UInt64 {
        let wanted =
            switch access {
            case .read: readFile | readDirectory
            case .use: readFile | readDirectory | writeFile | controlDevice
            case .write:
                readFile | readDirectory | writeFile | truncate | makeFile | makeDirectory
                    | removeFile | removeDirectory | refer
            case .prune: removeDirectory
            }
        return wanted & all(version: version) & (isDirectory ? .max : ofFiles)
    }
}
