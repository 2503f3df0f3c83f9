/// What a reader accepts of one file and all that it includes.
public struct HOCONLimits: Hashable, Sendable {
    /// Of all texts together.
    public var bytes = 1024 * 1024
    /// Objects and lists within each other, and names in a path.
    public var depth = 32
    /// Keys and values.
    public var values = 65_536
    /// Files within each other.
    public var includes = 8
    /// What substitutions may copy: values, and bytes of text. Without it, twenty lines that each
    /// name the one before twice would make a million values.
    public var copies = 1024 * 1024
    /// Steps within each other while substitutions are resolved.
    public var steps = 128

    public init() {}
}
