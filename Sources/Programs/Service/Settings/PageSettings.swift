import MediaKernel

/// `pages.*`: what the pages offer to visitors without a token, and their files.
public struct PageSettings: Hashable, Sendable {
    public var opensTokens = false
    public var listsRooms = true
    public var hlsScriptURL: String?
    /// Where the embedded player may be framed, as in a policy's `frame-ancestors`.
    public var embedders = ["*"]
    public var directory: String?

    /// - Parameter access: visitors may do more on a server with a well-known key.
    mutating func read(
        _ source: SettingsSource, access: AccessSettings
    ) throws(SettingsError) {
        opensTokens = source.flag(.pagesOpenTokens) ?? access.isWellKnown
        listsRooms = source.flag(.pagesListRooms) ?? access.isWellKnown
        hlsScriptURL = source.text(.pagesHLSScriptURL)
        directory = source.text(.pagesDirectory)
        guard let embedders = source.list(.pagesEmbedders) else { return }
        guard embedders.count <= Self.embeddersMaximum,
            embedders.allSatisfy(Self.isEmbedder) || embedders == [Self.nobody]
        else {
            throw .invalid(
                key: SettingKey.pagesEmbedders.rawValue,
                reason: "up to \(Self.embeddersMaximum) origins such as https://example.org or "
                    + "https://*.example.org; * for all; none for nobody")
        }
        self.embedders = embedders == [Self.nobody] ? [] : embedders
    }

    private static let nobody = "none"
    /// They are sent with each page.
    private static let embeddersMaximum = 50

    /// Whether it is `*` or an origin. Nothing else may get into the header.
    private static func isEmbedder(_ text: String) -> Bool {
        guard text != "*" else { return true }
        guard let url = HTTPURL(text), url.target.isEmpty else { return false }
        var host = url.authority[...]
        if host.hasPrefix("*.") { host = host.dropFirst(2) }
        return HTTPURL(isSecure: url.isSecure, authority: String(host)).canBeReached
            && host.utf8.allSatisfy {
                $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
            }
    }
}
