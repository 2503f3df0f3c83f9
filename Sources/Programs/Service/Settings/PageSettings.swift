/// `pages.*`: what the pages offer to visitors without a token, and their files.
public struct PageSettings: Hashable, Sendable {
    public var opensTokens = false
    public var listsRooms = true
    public var hlsScriptURL: String?
    public var directory: String?

    /// - Parameter access: visitors may do more on a server with a well-known key.
    mutating func read(_ source: SettingsSource, access: AccessSettings) {
        opensTokens = source.flag(.pagesOpenTokens) ?? access.isWellKnown
        listsRooms = source.flag(.pagesListRooms) ?? access.isWellKnown
        hlsScriptURL = source.text(.pagesHLSScriptURL)
        directory = source.text(.pagesDirectory)
    }
}
