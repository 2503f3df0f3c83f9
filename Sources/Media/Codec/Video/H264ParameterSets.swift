import MediaKernel

/// The sequence and picture parameter sets of an H.264 stream (ITU-T H.264 sect. 7.3.2).
public struct H264ParameterSets: Hashable, Sendable {
    /// NAL units without start code.
    public let sequence: [UInt8]
    public let picture: [UInt8]

    /// Finds the first of each in an Annex B byte stream; nil when one is missing.
    public init?(annexB bytes: [UInt8]) {
        let units = Self.units(inAnnexB: bytes)
        // sect. 7.3.1: the low five bits of the first byte are nal_unit_type.
        guard let sequence = units.first(where: { $0[0] & 0x1F == 7 }), sequence.count >= 4,
            let picture = units.first(where: { $0[0] & 0x1F == 8 })
        else { return nil }
        self.sequence = sequence
        self.picture = picture
    }

    /// Both, each after a start code.
    public var annexB: [UInt8] { [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture }

    /// The `CODECS` name: profile, constraint flags and level in hexadecimal.
    /// RFC 6381 sect. 3.3.
    public var codecString: String {
        "avc1." + Hexadecimal.text(sequence[1...3], uppercase: true)
    }

    /// The non-empty NAL units between start codes. Annex B sect. B.1.1.
    static func units(inAnnexB bytes: [UInt8]) -> [[UInt8]] {
        var units: [[UInt8]] = []
        var start: Int?
        var index = 0
        func close(at end: Int) {
            guard let start else { return }
            var end = end
            // trailing_zero_8bits and the four-byte start code's first zero.
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { units.append(Array(bytes[start..<end])) }
        }
        while index + 2 < bytes.count {
            if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                close(at: index)
                index += 3
                start = index
            } else {
                index += 1
            }
        }
        close(at: bytes.count)
        return units
    }
}
