/// The captions of one language in a master playlist: EXT-X-MEDIA. RFC 8216 sect. 4.3.4.1.
public struct SubtitleRendition: Hashable, Sendable {
    /// The only group: every variant has the same captions.
    static let group = "captions"
    static let tag = "EXT-X-MEDIA"
    /// Renditions that are read from one playlist.
    static let maximum = 64

    /// As in BCP 47; without quotation marks and line breaks, like the other fields.
    public var language: String
    /// For people; each rendition has another one.
    public var name: String
    /// Of the media playlist, relative to the master playlist.
    public var uri: String

    public init(language: String, name: String, uri: String) {
        self.language = language
        self.name = name
        self.uri = uri
    }

    /// Players may choose them by the viewer's language, but show none unless asked.
    func rendered() -> String {
        "#\(Self.tag):TYPE=SUBTITLES,GROUP-ID=\"\(Self.group)\",NAME=\"\(name)\","
            + "LANGUAGE=\"\(language)\",AUTOSELECT=YES,DEFAULT=NO,FORCED=NO,"
            + "CHARACTERISTICS=\"public.accessibility.transcribes-spoken-dialog\","
            + "URI=\"\(uri)\"\n"
    }

    /// Nil for a rendition of another type or group.
    init?(parsing value: String?, line: Int) throws(PlaylistError) {
        let attributes = try AttributeList(value ?? "", line: line)
        guard try attributes.enumeratedString("TYPE") == "SUBTITLES",
            try attributes.quotedString("GROUP-ID") == Self.group
        else { return nil }
        guard let name = try attributes.quotedString("NAME") else {
            throw .missingAttribute("NAME", line: line)
        }
        guard let uri = try attributes.quotedString("URI") else {
            throw .missingAttribute("URI", line: line)
        }
        self.init(
            language: try attributes.quotedString("LANGUAGE") ?? "", name: name, uri: uri)
    }
}
