/// An H.264 profile that Roomcast encodes.
public enum H264Profile: Hashable, Sendable, CaseIterable {
    case constrainedBaseline
    case main
    case high

    /// `profile_idc`, H.264 sect. A.2.
    public var profileIDC: UInt8 {
        switch self {
        case .constrainedBaseline: 66
        case .main: 77
        case .high: 100
        }
    }

    /// The byte with the constraint flags, as x264 writes it.
    public var constraintFlags: UInt8 {
        switch self {
        case .constrainedBaseline: 0xC0
        case .main: 0x40
        case .high: 0x00
        }
    }

    /// Bits per unit of MaxBR and MaxCPB at the VCL, H.264 table A-2 (cpbBrVclFactor).
    var bitrateFactor: Int { self == .high ? 1250 : 1000 }
}

/// An H.264 level with its limits, H.264 table A-1.
public struct H264Level: Hashable, Sendable {
    /// `level_idc`: ten times the level's number.
    public let levelIDC: UInt8
    /// Macroblocks per second.
    public let macroblockRateMaximum: Int
    /// Macroblocks per frame.
    public let frameSizeMaximum: Int
    /// Macroblocks in the decoded picture buffer.
    public let decodedMacroblocksMaximum: Int
    /// Units of 1000 bit/s (1250 in High profile).
    public let bitrateUnitsMaximum: Int
    /// Units of 1000 bits (1250 in High profile).
    public let bufferUnitsMaximum: Int

    private init(_ idc: UInt8, _ rate: Int, _ size: Int, _ decoded: Int, _ br: Int, _ cpb: Int) {
        levelIDC = idc
        macroblockRateMaximum = rate
        frameSizeMaximum = size
        decodedMacroblocksMaximum = decoded
        bitrateUnitsMaximum = br
        bufferUnitsMaximum = cpb
    }

    /// Levels from 1 to 5.2. Level 1b is left out: it differs from 1.1 in nothing we need.
    public static let all: [H264Level] = [
        H264Level(10, 1_485, 99, 396, 64, 175),
        H264Level(11, 3_000, 396, 900, 192, 500),
        H264Level(12, 6_000, 396, 2_376, 384, 1_000),
        H264Level(13, 11_880, 396, 2_376, 768, 2_000),
        H264Level(20, 11_880, 396, 2_376, 2_000, 2_000),
        H264Level(21, 19_800, 792, 4_752, 4_000, 4_000),
        H264Level(22, 20_250, 1_620, 8_100, 4_000, 4_000),
        H264Level(30, 40_500, 1_620, 8_100, 10_000, 10_000),
        H264Level(31, 108_000, 3_600, 18_000, 14_000, 14_000),
        H264Level(32, 216_000, 5_120, 20_480, 20_000, 20_000),
        H264Level(40, 245_760, 8_192, 32_768, 20_000, 25_000),
        H264Level(41, 245_760, 8_192, 32_768, 50_000, 62_500),
        H264Level(42, 522_240, 8_704, 34_816, 50_000, 62_500),
        H264Level(50, 589_824, 22_080, 110_400, 135_000, 135_000),
        H264Level(51, 983_040, 36_864, 184_320, 240_000, 240_000),
        H264Level(52, 2_073_600, 36_864, 184_320, 240_000, 240_000),
    ]

    /// Frames in the decoder's picture buffer that an encoder with three B pictures, one of them
    /// a reference, asks for.
    public static let usualDecodedFrames = 4

    /// The lowest level whose every limit holds, nil when the picture is beyond level 5.2.
    ///
    /// - Parameters:
    ///   - bitrateMaximum: bits per second, the leaky bucket's rate.
    ///   - bufferBits: the leaky bucket's size.
    public static func lowest(
        width: Int, height: Int, frameRate: Int, bitrateMaximum: Int, bufferBits: Int,
        profile: H264Profile = .high, decodedFrames: Int = usualDecodedFrames
    ) -> H264Level? {
        all.first {
            $0.holds(
                width: width, height: height, frameRate: frameRate,
                bitrateMaximum: bitrateMaximum, bufferBits: bufferBits, profile: profile,
                decodedFrames: decodedFrames)
        }
    }

    private func holds(
        width: Int, height: Int, frameRate: Int, bitrateMaximum: Int, bufferBits: Int,
        profile: H264Profile, decodedFrames: Int
    ) -> Bool {
        let columns = (width + 15) / 16
        let rows = (height + 15) / 16
        let macroblocks = columns * rows
        // A.3.1 items f and g: no side longer than the square root of 8 MaxFS macroblocks.
        let longest = max(columns, rows)
        return macroblocks <= frameSizeMaximum
            && longest * longest <= 8 * frameSizeMaximum
            && macroblocks * frameRate <= macroblockRateMaximum
            && macroblocks * decodedFrames <= decodedMacroblocksMaximum
            && bitrateMaximum <= bitrateUnitsMaximum * profile.bitrateFactor
            && bufferBits <= bufferUnitsMaximum * profile.bitrateFactor
    }
}
