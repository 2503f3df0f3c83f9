/// An entry of the CODECS attribute. RFC 6381 sect. 3.3.
public struct CodecString: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private init(_ description: String) { self.description = description }

    /// AAC-LC: object type indication 40 (MPEG-4 audio), audio object type 2.
    public static let aacLowComplexity = CodecString("mp4a.40.2")

    public static func avc1(profile: H264Profile, level: H264Level) -> CodecString {
        avc1(profile.profileIDC, profile.constraintFlags, level.levelIDC)
    }

    private static func avc1(_ profile: UInt8, _ flags: UInt8, _ level: UInt8) -> CodecString {
        CodecString("avc1." + hex(profile) + hex(flags) + hex(level))
    }

    /// Upper case, as RFC 6381's own examples for other codecs and Apple's for this one.
    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }
}
