import MediaKernel

/// The fields that we use of an H.264 sequence parameter set. ITU-T H.264 sect. 7.3.2.1.1.
struct H264SequenceParameterSet {
    let id: UInt32
    /// Pixels after cropping.
    let size: PictureSize

    /// - Parameter unit: the NAL unit with its header. Nil if it cannot be parsed.
    init?(_ unit: ArraySlice<UInt8>) {
        guard unit.count > 4, unit.count <= H264SetMemory.setBytesMaximum else {
            return nil
        }
        let body = Self.withoutEmulationPrevention(unit.dropFirst())
        var reader = BitReader(body[...])
        guard let parsed = try? Self.parse(&reader) else { return nil }
        id = parsed.id
        size = parsed.size
    }

    /// Only the id, which follows the profile and level.
    static func id(_ unit: ArraySlice<UInt8>) -> UInt32? {
        var reader = BitReader(unit.dropFirst(4))
        return try? reader.readExpGolomb()
    }

    /// Drops the 3 of every 0 0 3. H.264 sect. 7.4.1.
    private static func withoutEmulationPrevention(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    private static func parse(
        _ reader: inout BitReader
    ) throws(TruncatedInput) -> (id: UInt32, size: PictureSize) {
        let profile = try reader.read(8)
        try reader.skip(16)
        let id = try reader.readExpGolomb()
        var chromaFormat: UInt32 = 1
        var hasSeparatePlanes = false
        if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
            chromaFormat = try reader.readExpGolomb()
            if chromaFormat == 3 { hasSeparatePlanes = try reader.readFlag() }
            _ = try reader.readExpGolomb()
            _ = try reader.readExpGolomb()
            try reader.skip(1)
            if try reader.readFlag() {
                try skipScalingLists(&reader, count: chromaFormat == 3 ? 12 : 8)
            }
        }
        try skipPictureOrder(&reader)
        _ = try reader.readExpGolomb()
        try reader.skip(1)
        let widthInMacroblocks = Int(try reader.readExpGolomb()) + 1
        let heightInMapUnits = Int(try reader.readExpGolomb()) + 1
        let isFrameOnly = try reader.readFlag()
        if !isFrameOnly { try reader.skip(1) }
        try reader.skip(1)
        let fieldFactor = isFrameOnly ? 1 : 2
        var size = PictureSize(
            width: widthInMacroblocks * 16, height: heightInMapUnits * 16 * fieldFactor)
        if try reader.readFlag() {
            // Table 6-1: the number of luma samples in one unit of cropping.
            let isMonochrome = chromaFormat == 0 || hasSeparatePlanes
            let unitX = isMonochrome || chromaFormat == 3 ? 1 : 2
            let unitY = (!isMonochrome && chromaFormat == 1 ? 2 : 1) * fieldFactor
            size.width -= unitX * Int(try reader.readExpGolomb())
            size.width -= unitX * Int(try reader.readExpGolomb())
            size.height -= unitY * Int(try reader.readExpGolomb())
            size.height -= unitY * Int(try reader.readExpGolomb())
        }
        guard (1...65_535).contains(size.width), (1...65_535).contains(size.height) else {
            throw TruncatedInput(needed: 1, available: 0)
        }
        return (id, size)
    }

    private static func skipPictureOrder(_ reader: inout BitReader) throws(TruncatedInput) {
        _ = try reader.readExpGolomb()
        switch try reader.readExpGolomb() {
        case 0:
            _ = try reader.readExpGolomb()
        case 1:
            try reader.skip(1)
            _ = try reader.readSignedExpGolomb()
            _ = try reader.readSignedExpGolomb()
            let count = try reader.readExpGolomb()
            guard count <= 255 else { throw TruncatedInput(needed: 1, available: 0) }
            for _ in 0..<count { _ = try reader.readSignedExpGolomb() }
        default:
            break
        }
    }

    private static func skipScalingLists(
        _ reader: inout BitReader, count: Int
    ) throws(TruncatedInput) {
        for list in 0..<count where try reader.readFlag() {
            var last: Int32 = 8
            var next: Int32 = 8
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 { next = (last &+ (try reader.readSignedExpGolomb())) & 0xFF }
                last = next == 0 ? last : next
            }
        }
    }
}
