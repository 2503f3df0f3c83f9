public import Streams

extension LiveStreamError {
    /// The error for a failed look-up in the catalogue.
    public init(_ error: CatalogueError) {
        self =
            switch error {
            case .full, .busy, .lost: .catalogueUnavailable(error.description)
            case .damaged, .superseded, .unknownValue, .failed: .catalogueBroken(error.description)
            }
    }
}
