import MediaKernel

/// The fields that we use of an AV1 sequence header. AV1 bitstream specification sect. 5.5.
struct AV1SequenceHeader {
    let isReducedStillPicture: Bool
    /// The largest frame of the sequence, in pixels.
    let size: PictureSize

    /// - Parameter payload: the OBU's payload. Nil when it cannot be read.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = BitReader(payload)
        guard let parsed = try? Self.parse(&reader) else { return nil }
        isReducedStillPicture = parsed.isReduced
        size = parsed.size
    }

    private static func parse(
        _ reader: inout BitReader
    ) throws(TruncatedInput) -> (isReduced: Bool, size: PictureSize) {
        try reader.skip(3 + 1)
        let isReduced = try reader.readFlag()
        if isReduced {
            try reader.skip(5)
        } else {
            try skipOperatingPoints(&reader)
        }
        let widthBits = Int(try reader.read(4)) + 1
        let heightBits = Int(try reader.read(4)) + 1
        let width = Int(try reader.read(widthBits)) + 1
        let height = Int(try reader.read(heightBits)) + 1
        return (isReduced, PictureSize(width: width, height: height))
    }

    private static func skipOperatingPoints(_ reader: inout BitReader) throws(TruncatedInput) {
        var bufferDelayBits: Int?
        // timing_info, and within it decoder_model_info.
        if try reader.readFlag() {
            try reader.skip(32 + 32)
            if try reader.readFlag() { _ = try reader.readExpGolomb() }
            if try reader.readFlag() {
                bufferDelayBits = Int(try reader.read(5)) + 1
                try reader.skip(32 + 5 + 5)
            }
        }
        let hasDisplayDelay = try reader.readFlag()
        let points = Int(try reader.read(5)) + 1
        for _ in 0..<points {
            try reader.skip(12)
            if try reader.read(5) > 7 { try reader.skip(1) }
            if let bufferDelayBits, try reader.readFlag() {
                try reader.skip(bufferDelayBits * 2 + 1)
            }
            if hasDisplayDelay, try reader.readFlag() { try reader.skip(4) }
        }
    }
}
