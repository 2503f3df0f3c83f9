/// Which roles a stream's sound has, and whether the stream has any picture.
public struct SoundOptions: Hashable, Sendable {
    /// Roles that are heard at first; nil for all.
    public var roles: Set<String>?
    /// No picture: the variants are audio-only.
    public var isAlone: Bool

    public init(roles: Set<String>? = nil, isAlone: Bool = false) {
        self.roles = roles
        self.isAlone = isAlone
    }
}
