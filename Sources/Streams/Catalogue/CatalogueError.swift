import Glibc

/// Why the catalogue cannot do what it was asked.
public enum CatalogueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full. Nothing was changed; it can be asked again.
    case full
    /// Another process holds the database for longer than it may.
    case busy
    /// The file is no catalogue, or damaged: it is to be made anew from the manifests.
    case damaged(String)
    /// A newer version has changed its form, which this one would not keep.
    case superseded
    /// The file, or one of SQLite's beside it, is not where it was opened any more. Nothing is written
    /// where nobody would find it.
    case lost(HeldFile.Loss)
    /// A row holds what this version does not know.
    case unknownValue(row: String, column: String, value: String)
    /// Everything else, in SQLite's words.
    case failed(String)

    public var description: String {
        switch self {
        case .full: "the catalogue's disk is full"
        case .busy: "the catalogue is in use by another process"
        case .damaged(let reason): "the catalogue is damaged: \(reason)"
        case .superseded: "the catalogue is of a newer version"
        case .lost(.unreachable(let code)):
            "the catalogue's file cannot be looked at: \(String(cString: strerror(code)))"
        case .lost(let loss): "the catalogue's file was \(loss)"
        case .unknownValue(let row, let column, let value):
            "the catalogue's row \(row) has an unknown \(column): \(value)"
        case .failed(let reason): "catalogue: \(reason)"
        }
    }
}
