/// What programs that show a link read of a page: its title, and the tags of Open Graph (ogp.me)
/// and of Twitter's cards. Everything in it may be foreign text.
struct PageHead: Hashable, Sendable {
    struct Picture: Hashable, Sendable {
        /// Absolute, since whoever shows it is elsewhere.
        var url: String
        var description: String
        var width: Int?
        var height: Int?
    }

    private static let titleCharactersMaximum = 120

    var title: String
    var description: String
    /// The page's own address.
    var url: String
    /// `website`, `video.other`.
    var kind = "website"
    var picture: Picture
    /// Whether search engines may list the page.
    var isListed = false

    /// The lines to put at the end of the page's head.
    var tags: String {
        let title = String(title.prefix(Self.titleCharactersMaximum))
        var lines = [
            Self.meta("name", "description", description),
            Self.meta("property", "og:site_name", "Roomcast"),
            Self.meta("property", "og:type", kind),
            Self.meta("property", "og:title", title),
            Self.meta("property", "og:description", description),
            Self.meta("property", "og:url", url),
            Self.meta("property", "og:image", picture.url),
            Self.meta("property", "og:image:alt", picture.description),
        ]
        if let width = picture.width, let height = picture.height {
            lines.append(Self.meta("property", "og:image:width", String(width)))
            lines.append(Self.meta("property", "og:image:height", String(height)))
        }
        lines += [
            Self.meta("name", "twitter:card", "summary_large_image"),
            Self.meta("name", "twitter:title", title),
            Self.meta("name", "twitter:description", description),
            Self.meta("name", "twitter:image", picture.url),
            Self.meta("name", "twitter:image:alt", picture.description),
        ]
        if !isListed { lines.append(Self.meta("name", "robots", "noindex")) }
        return lines.joined()
    }

    private static func meta(_ key: String, _ name: String, _ content: String) -> String {
        "    <meta \(key)=\"\(name)\" content=\"\(ErrorPage.escaped(content))\">\n"
    }

    /// A page with this head; its own title and the rest stay for those who need no more.
    func put(into page: [UInt8]) -> [UInt8] {
        let text = String(decoding: page, as: UTF8.self)
        guard let end = text.firstRange(of: "  </head>") else { return page }
        var head = String(text[..<end.lowerBound])
        if let from = head.firstRange(of: "<title>"), let to = head.firstRange(of: "</title>"),
            from.upperBound <= to.lowerBound
        {
            head.replaceSubrange(
                from.upperBound..<to.lowerBound, with: ErrorPage.escaped(title) + " · Roomcast")
        }
        return Array((head + tags + text[end.lowerBound...]).utf8)
    }
}
