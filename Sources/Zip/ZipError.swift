/// Why an archive cannot go on. The caller's fault, or a file that changed under its hands.
public enum ZipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Empty, absolute, with `..`, a backslash or a NUL, or longer than
    /// `ZipEntry.nameBytesMaximum`.
    case unusableName(String)
    case repeatedName(String)
    case tooManyEntries(maximum: Int)
    /// The bytes are not those that the entry announced.
    case contentChanged(name: String)
    /// More bytes than the entry said there could be.
    case tooLong(name: String, maximum: UInt64)

    public var description: String {
        switch self {
        case .unusableName(let name): "'\(name)' cannot be a name in an archive"
        case .repeatedName(let name): "\(name) is in the archive already"
        case .tooManyEntries(let maximum): "more than \(maximum) files in an archive"
        case .contentChanged(let name): "\(name) is not what it was announced to be"
        case .tooLong(let name, let maximum): "\(name) is longer than \(maximum) bytes"
        }
    }
}
