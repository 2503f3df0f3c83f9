/// How loud an audio packet is, as its sender measured it. RFC 6464.
///
/// ```
/// |V| level (7 bits) |
/// ```
public struct AudioLevel: Hashable, Sendable {
    /// Whether the sender thinks this is speech.
    public var voice: Bool
    /// Loudness below full scale, in -dBov: 0 is the loudest, `silence` the least.
    public var level: UInt8

    /// The level of inaudible sound, which is also the highest value.
    public static let silence: UInt8 = 127

    /// Clamps the level to `silence`.
    public init(voice: Bool, level: UInt8) {
        self.voice = voice
        self.level = min(level, Self.silence)
    }

    /// Reads an element's value; nil when it has no bytes.
    public init?(extensionBytes bytes: ArraySlice<UInt8>) {
        guard let byte = bytes.first else { return nil }
        self.init(voice: byte & 0x80 != 0, level: byte & 0x7F)
    }

    public var extensionBytes: [UInt8] { [(voice ? 0x80 : 0) | level] }
}
