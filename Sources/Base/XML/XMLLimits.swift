/// What a reader accepts of one stream.
public struct XMLLimits: Hashable, Sendable {
    /// Of one stanza, or of the stream's start, in bytes as received.
    public var stanzaBytes = 256 * 1024
    /// Elements within each other, the stream's root included.
    public var depth = 32
    /// Of one element, declarations of namespaces included.
    public var attributes = 64
    /// Of an element or an attribute, its prefix included.
    public var nameBytes = 256
    /// Declarations of namespaces in force at one place. Each prefix is looked up among them.
    public var namespaces = 64

    public init() {}
}
