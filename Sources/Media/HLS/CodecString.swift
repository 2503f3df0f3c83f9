/// An entry of the CODECS attribute. RFC 6381 sect. 3.3.
public struct CodecString: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private init(_ description: String) { self.description = description }

    /// AAC-LC: object type indication 40 (MPEG-4 audio), audio object type 2.
    public static let aacLowComplexity = CodecString("mp4a.40.2")
}
