import MediaKernel

/// The start of a VP9 frame, up to the picture size. VP9 bitstream specification sect. 6.2.
enum VP9FrameHeader {
    private static let syncCode: UInt32 = 0x49_83_42
    private static let colorSpaceRGB: UInt32 = 7

    /// The size in a key frame; nil for other frames and for bytes that cannot be parsed.
    static func size(of frame: ArraySlice<UInt8>) -> PictureSize? {
        // 15 bytes hold every form of the header up to the size.
        var reader = BitReader(frame.prefix(16))
        return try? read(&reader)
    }

    private static func read(_ reader: inout BitReader) throws(TruncatedInput) -> PictureSize? {
        guard try reader.read(2) == 2 else { return nil }
        let profile = try reader.read(1) | reader.read(1) << 1
        if profile == 3 { try reader.skip(1) }
        let showsExisting = try reader.readFlag()
        guard !showsExisting else { return nil }
        let isKeyframe = try !reader.readFlag()
        guard isKeyframe else { return nil }
        try reader.skip(2)
        guard try reader.read(24) == syncCode else { return nil }
        if profile >= 2 { try reader.skip(1) }
        if try reader.read(3) != colorSpaceRGB {
            try reader.skip(1)
            if profile == 1 || profile == 3 { try reader.skip(3) }
        } else if profile == 1 || profile == 3 {
            try reader.skip(1)
        }
        let width = Int(try reader.read(16)) + 1
        return PictureSize(width: width, height: Int(try reader.read(16)) + 1)
    }
}
