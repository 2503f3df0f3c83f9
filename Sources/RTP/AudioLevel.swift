/// How loud an audio packet is, as its sender measured it. RFC 6464.
///
/// ```
/// |V| level (7 bits) |
/// ```
public struct AudioLevel: Hashable, Sendable {
    /// Whether the sender thinks this is speech.
    public var voice: Bool
    /// Loudness below full scale, in -dBov: 0 is the loudest, 127 is silence.
    public var level: UInt8

    /// A level above 127 is taken as 127.
    public init(voice: Bool, level: UInt8) {
        self.voice = voice
        self.level = min(level, 127)
    }

    /// Reads an element's value; nil when it has no bytes.
    public init?(extensionBytes bytes: ArraySlice<UInt8>) {
        guard let byte = bytes.first else { return nil }
        self.init(voice: byte & 0x80 != 0, level: byte & 0x7F)
    }

    public var extensionBytes: [UInt8] { [(voice ? 0x80 : 0) | level] }
}
