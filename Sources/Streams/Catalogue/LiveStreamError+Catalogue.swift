public import Streams

extension LiveStreamError {
    /// What the catalogue did not tell.
    public init(_ error: CatalogueError) {
        self =
            switch error {
            case .full, .busy, .lost: .catalogueUnavailable(error.description)
            case .damaged, .superseded, .unknownValue, .failed: .catalogueBroken(error.description)
            }
    }
}
