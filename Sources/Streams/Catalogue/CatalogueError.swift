import Glibc

/// The reason why an operation of the catalogue failed.
public enum CatalogueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full. Nothing changed, and a retry is possible.
    case full
    /// Another process has held the database for too long.
    case busy
    /// The file is damaged or not a catalogue: it must be rebuilt from the manifests.
    case damaged(String)
    /// A newer version has changed the schema, which this version would not preserve.
    case superseded
    /// The file, or one of SQLite's files beside it, was moved or removed since it was opened.
    /// Nothing is written to a file that nobody would find.
    case lost(HeldFile.Loss)
    /// A row has a value unknown to this version.
    case unknownValue(row: String, column: String, value: String)
    /// Any other error, in SQLite's words.
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
