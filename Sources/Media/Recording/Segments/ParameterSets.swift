/// The H.264 parameter sets of a segment's pictures, without start codes.
public struct ParameterSets: Hashable, Sendable {
    public let sequence: [UInt8]
    public let picture: [UInt8]

    /// Bytes of each. x264's are below 40 and 10.
    static let bytesMaximum = 1024

    /// Nil when they are too short or too long to be valid.
    public init?(sequence: [UInt8], picture: [UInt8]) {
        guard (4...Self.bytesMaximum).contains(sequence.count),
            (1...Self.bytesMaximum).contains(picture.count)
        else { return nil }
        self.sequence = sequence
        self.picture = picture
    }

    /// Profiles with a chroma format in their decoder configuration.
    /// ISO/IEC 14496-15 sect. 5.3.3.1.
    private static let highProfiles: Set<UInt8> = [100, 110, 122, 144]

    /// AVCDecoderConfigurationRecord, for lengths of four bytes.
    var decoderConfiguration: [UInt8] {
        var record: [UInt8] = [1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1]
        record += [UInt8(sequence.count >> 8), UInt8(truncatingIfNeeded: sequence.count)]
        record += sequence
        record += [1, UInt8(picture.count >> 8), UInt8(truncatingIfNeeded: picture.count)]
        record += picture
        // 4:2:0 in eight bits, no extensions: the encoders use nothing else.
        if Self.highProfiles.contains(sequence[1]) { record += [0xFD, 0xF8, 0xF8, 0] }
        return record
    }
}

/// The data about a picture that an MP4 header needs before the picture is read.
public struct PictureSample: Hashable, Sendable {
    /// Of its units with their lengths, without parameter sets.
    public var byteCount: UInt32
    /// Its presentation, counted from the segment's first frame.
    public var frame: Int
    /// Decoding can start here.
    public var isKeyframe: Bool

    /// A hundred times the size of a 1080p picture.
    static let bytesMaximum = 1 << 26

    public init(byteCount: UInt32, frame: Int, isKeyframe: Bool) {
        self.byteCount = byteCount
        self.frame = frame
        self.isKeyframe = isKeyframe
    }
}
