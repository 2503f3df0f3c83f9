/// The parameters that an AAC decoder needs. ISO/IEC 14496-3 sect. 1.6.2.1.
public struct SoundFormat: Hashable, Sendable {
    /// 2 is AAC-LC.
    public var objectType: UInt8
    /// An index into `sampleRates`.
    public var rateIndex: UInt8
    public var channels: UInt8

    /// Samples per channel in a block.
    public static let blockSamples = 1024
    /// ISO/IEC 14496-3 table 1.18.
    static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
        8_000, 7_350,
    ]

    /// Nil for values that no decoder configuration can hold.
    public init?(objectType: UInt8, rateIndex: UInt8, channels: UInt8) {
        guard (1...4).contains(objectType), Int(rateIndex) < Self.sampleRates.count,
            (1...7).contains(channels)
        else { return nil }
        self.objectType = objectType
        self.rateIndex = rateIndex
        self.channels = channels
    }

    /// AAC-LC; nil for a rate or a number of channels that a header cannot hold.
    public init?(sampleRate: Int, channels: Int) {
        guard let index = Self.sampleRates.firstIndex(of: sampleRate), (1...7).contains(channels)
        else { return nil }
        self.init(objectType: 2, rateIndex: UInt8(index), channels: UInt8(channels))
    }

    public var sampleRate: Int { Self.sampleRates[Int(rateIndex)] }

    /// AudioSpecificConfig with GASpecificConfig: five bits, four, four, three.
    var audioSpecificConfig: [UInt8] {
        let bits = UInt16(objectType) << 11 | UInt16(rateIndex) << 7 | UInt16(channels) << 3
        return [UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)]
    }
}

/// The header of a block of AAC in a transport stream. ISO/IEC 14496-3 sect. 1.A.2.2.
struct ADTSHeader {
    var format: SoundFormat
    /// Of the header, including its checksum if there is one.
    var headerBytes: Int
    /// Of header and block.
    var byteCount: Int

    /// Nil if there is no header at this place, or one of several blocks.
    init?(_ bytes: [UInt8], at start: Int) {
        guard bytes.count - start >= 7, bytes[start] == 0xFF, bytes[start + 1] & 0xF6 == 0xF0,
            bytes[start + 6] & 3 == 0
        else { return nil }
        let hasChecksum = bytes[start + 1] & 1 == 0
        let third = bytes[start + 2]
        let channels = (third & 1) << 2 | bytes[start + 3] >> 6
        guard
            let format = SoundFormat(
                objectType: (third >> 6) + 1, rateIndex: third >> 2 & 0x0F, channels: channels)
        else { return nil }
        self.format = format
        headerBytes = hasChecksum ? 9 : 7
        byteCount =
            Int(bytes[start + 3] & 3) << 11 | Int(bytes[start + 4]) << 3
            | Int(bytes[start + 5] >> 5)
        guard byteCount > headerBytes, byteCount <= bytes.count - start else { return nil }
    }
}
