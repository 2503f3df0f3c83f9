/// An entry of the CODECS attribute. RFC 6381 sect. 3.3.
public struct CodecString: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private init(_ description: String) { self.description = description }

    /// AAC-LC: object type indication 40 (MPEG-4 audio), audio object type 2.
    public static let aacLowComplexity = CodecString("mp4a.40.2")

    public static func avc1(profile: H264Profile, level: H264Level) -> CodecString {
        avc1(profile.profileIDC, profile.constraintFlags, level.levelIDC)
    }

    /// Reads the three bytes after the NAL header of a sequence parameter set, with or without an
    /// Annex B start code before it. Nil when the bytes are none.
    public static func avc1(sequenceParameterSet bytes: [UInt8]) -> CodecString? {
        let zeros = bytes.prefix { $0 == 0 }.count
        var unit = bytes[...]
        if zeros >= 2 {
            guard bytes.count > zeros, bytes[zeros] == 1 else { return nil }
            unit = bytes[(zeros + 1)...]
        }
        let sequenceParameterSetType: UInt8 = 7
        guard unit.count >= 4, let header = unit.first, header & 0x80 == 0,
            header & 0x1F == sequenceParameterSetType
        else { return nil }
        let first = unit.startIndex + 1
        return avc1(unit[first], unit[first + 1], unit[first + 2])
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
