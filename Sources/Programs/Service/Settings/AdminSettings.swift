/// `admin.*`: the operator's page.
public struct AdminSettings: Hashable, Sendable {
    /// Has the hash of the page's password; made by `roomcast admin-password`.
    public var passwordFile = "admin-password"

    mutating func read(_ source: SettingsSource) {
        passwordFile = source.text(.adminPasswordFile) ?? passwordFile
    }
}
