import MediaKernel

/// The profiles of H.264 that `profile-level-id` can name. RFC 6184 table 5.
public enum H264Profile: Hashable, Sendable, CaseIterable {
    case constrainedBaseline
    case baseline
    case main
    case extended
    case constrainedHigh
    case high
    case high10
    case high422
    case high444

    /// One row of the table: the bits of `profile-iop` under `mask` must equal `value`.
    private struct Row {
        let profileIDC: UInt8
        let mask: UInt8
        let value: UInt8
        let profile: H264Profile
    }

    private static let table: [Row] = [
        Row(profileIDC: 0x42, mask: 0x4F, value: 0x40, profile: .constrainedBaseline),
        Row(profileIDC: 0x4D, mask: 0x8F, value: 0x80, profile: .constrainedBaseline),
        Row(profileIDC: 0x58, mask: 0xCF, value: 0xC0, profile: .constrainedBaseline),
        Row(profileIDC: 0x42, mask: 0x4F, value: 0x00, profile: .baseline),
        Row(profileIDC: 0x58, mask: 0xCF, value: 0x80, profile: .baseline),
        Row(profileIDC: 0x4D, mask: 0xAF, value: 0x00, profile: .main),
        Row(profileIDC: 0x58, mask: 0xCF, value: 0x00, profile: .extended),
        Row(profileIDC: 0x64, mask: 0xFF, value: 0x0C, profile: .constrainedHigh),
        Row(profileIDC: 0x64, mask: 0xFF, value: 0x00, profile: .high),
        Row(profileIDC: 0x6E, mask: 0xFF, value: 0x00, profile: .high10),
        Row(profileIDC: 0x7A, mask: 0xFF, value: 0x00, profile: .high422),
        Row(profileIDC: 0xF4, mask: 0xFF, value: 0x00, profile: .high444),
    ]

    /// `profile-level-id` at level 3.1, which holds 1280x720 at 30 frames a second.
    var idAtLevel31: String {
        switch self {
        case .constrainedBaseline: "42e01f"
        case .baseline: "42001f"
        case .main: "4d001f"
        case .extended: "58001f"
        case .constrainedHigh: "640c1f"
        case .high: "64001f"
        case .high10: "6e001f"
        case .high422: "7a001f"
        case .high444: "f4001f"
        }
    }

    init?(profileIDC: UInt8, constraints: UInt8) {
        let row = Self.table.first {
            $0.profileIDC == profileIDC && constraints & $0.mask == $0.value
        }
        guard let row else { return nil }
        self = row.profile
    }
}

/// `profile-level-id`: three bytes in hexadecimal. RFC 6184 sect. 8.1.
public struct H264ProfileLevel: Hashable, Sendable {
    public var profile: H264Profile
    /// Ten times the level: 31 is level 3.1.
    public var levelIDC: UInt8

    /// The meaning of a missing parameter: Baseline at level 1. RFC 6184 sect. 8.1.
    public static let unstated = H264ProfileLevel(profile: .baseline, levelIDC: 10)

    public init(profile: H264Profile, levelIDC: UInt8) {
        self.profile = profile
        self.levelIDC = levelIDC
    }

    /// The profile and level of a format; nil if it states invalid ones.
    public init?(of codec: CodecDescription) {
        guard let text = codec.parameters["profile-level-id"] else {
            self = .unstated
            return
        }
        self.init(parsing: text)
    }

    /// Nil when it is not six hexadecimal digits or names no profile.
    public init?(parsing text: String) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == 3,
            let profile = H264Profile(profileIDC: bytes[0], constraints: bytes[1])
        else { return nil }
        self.init(profile: profile, levelIDC: bytes[2])
    }
}
