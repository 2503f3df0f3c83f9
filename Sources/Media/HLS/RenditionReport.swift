/// How far another playlist of the stream has got, so that a player can change to it without asking
/// twice. draft-pantos-hls-rfc8216bis sect. 4.4.5.4.
public struct RenditionReport: Hashable, Sendable {
    /// Of the playlist, relative to the one that has the report.
    public var uri: String
    /// The number of the segment with the newest part.
    public var lastSegment: Int
    /// The newest part's number in it, from 0; nil where no part is listed.
    public var lastPart: Int?

    public init(uri: String, lastSegment: Int, lastPart: Int?) {
        self.uri = uri
        self.lastSegment = lastSegment
        self.lastPart = lastPart
    }

    func rendered() -> String {
        "#EXT-X-RENDITION-REPORT:URI=\"\(uri)\",LAST-MSN=\(lastSegment)"
            + (lastPart.map { ",LAST-PART=\($0)\n" } ?? "\n")
    }
}
