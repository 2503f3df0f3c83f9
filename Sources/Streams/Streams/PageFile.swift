/// What a page of the web leaves beside its stream.
public enum PageFile: String, Hashable, Sendable, CaseIterable {
    /// The lines of the page's console, and what became of the page.
    case console
    /// Its last picture, a JPEG.
    case screenshot

    /// In the stream's directory, hidden: the origin never serves it.
    public var name: String {
        switch self {
        case .console: ".page-console.log"
        case .screenshot: ".page.jpg"
        }
    }
}
