/// Whose sound a stream has, and whether it has anything else.
public struct SoundOptions: Hashable, Sendable {
    /// Roles that are heard at first; nil for everybody.
    public var roles: Set<String>?
    /// No picture: the variants hold sound alone.
    public var isAlone: Bool

    public init(roles: Set<String>? = nil, isAlone: Bool = false) {
        self.roles = roles
        self.isAlone = isAlone
    }
}
