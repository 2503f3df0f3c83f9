public import Catalogue

/// Why the catalogue cannot be opened, and what to do about it.
public struct CatalogueFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    public let error: CatalogueError

    public var description: String {
        switch error {
        case .damaged, .superseded:
            "\(path): \(error); move it away, and `roomcast reindex` makes it anew from the directories"
        case .busy: "\(path): \(error); end that one, or give this one other directories"
        case .full, .lost, .unknownValue, .failed: "\(path) cannot be opened: \(error)"
        }
    }
}
