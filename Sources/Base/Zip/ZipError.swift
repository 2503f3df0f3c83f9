/// Why an archive refuses a file. The caller's fault.
public enum ZipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Empty, absolute, with `..`, a backslash or a NUL, or longer than
    /// `ZipEntry.nameBytesMaximum`.
    case unusableName(String)
    case repeatedName(String)
    case tooManyEntries(maximum: Int)

    public var description: String {
        switch self {
        case .unusableName(let name): "'\(name)' cannot be a name in an archive"
        case .repeatedName(let name): "\(name) is in the archive already"
        case .tooManyEntries(let maximum): "more than \(maximum) files in an archive"
        }
    }
}
