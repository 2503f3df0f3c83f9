import MediaKernel

/// The layers of a VP9 stream, stated on key pictures. RFC 9628 sect. 4.2.1.
///
/// ```
/// | N_S |Y|G|-|-|-|
/// Y:  | WIDTH (16) | HEIGHT (16) |                   N_S + 1 times
/// G:  | N_G (8) |  and N_G times:  | TID |U| R |-|-|  R times: | P_DIFF (8) |
/// ```
public struct VP9ScalabilityStructure: Hashable, Sendable {
    /// Spatial layers, 1 ... 8.
    public var spatialLayers: Int
    /// Sizes from the lowest layer to the highest, if stated.
    public var sizes: [PictureSize]
    /// The repeating pattern of pictures, if stated; nil and empty differ on the wire.
    public var pictureGroup: [Picture]?

    /// One picture of the group.
    public struct Picture: Hashable, Sendable {
        public var temporal: UInt8
        public var isSwitchingUpPoint: Bool
        /// How many pictures back each reference is; at most three.
        public var references: [UInt8]

        public init(temporal: UInt8, isSwitchingUpPoint: Bool, references: [UInt8]) {
            self.temporal = temporal
            self.isSwitchingUpPoint = isSwitchingUpPoint
            self.references = references
        }
    }

    /// One layer of this size, without a stated pattern of pictures.
    public init(size: PictureSize) {
        spatialLayers = 1
        sizes = [size]
        pictureGroup = nil
    }

    init(_ reader: inout ByteReader) throws(TruncatedInput) {
        let flags = try reader.readUInt8()
        spatialLayers = Int(flags >> 5) + 1
        sizes = []
        pictureGroup = nil
        if flags & 0x10 != 0 {
            for _ in 0..<spatialLayers {
                let width = Int(try reader.readUInt16())
                sizes.append(PictureSize(width: width, height: Int(try reader.readUInt16())))
            }
        }
        guard flags & 0x08 != 0 else { return }
        var group: [Picture] = []
        for _ in 0..<(try reader.readUInt8()) {
            let byte = try reader.readUInt8()
            let references = Array(try reader.readBytes(Int(byte >> 2 & 3)))
            group.append(
                Picture(
                    temporal: byte >> 5, isSwitchingUpPoint: byte & 0x10 != 0,
                    references: references))
        }
        pictureGroup = group
    }

    func write(into bytes: inout [UInt8]) {
        let layers = min(max(spatialLayers, 1), 8)
        let hasSizes = sizes.count == layers
        bytes.append(
            UInt8(layers - 1) << 5 | (hasSizes ? 0x10 : 0) | (pictureGroup != nil ? 0x08 : 0))
        if hasSizes {
            for size in sizes {
                bytes.append(bigEndian: UInt16(clamping: size.width))
                bytes.append(bigEndian: UInt16(clamping: size.height))
            }
        }
        guard let group = pictureGroup?.prefix(255) else { return }
        bytes.append(UInt8(group.count))
        for picture in group {
            let references = picture.references.prefix(3)
            bytes.append(
                (picture.temporal & 7) << 5 | (picture.isSwitchingUpPoint ? 0x10 : 0)
                    | UInt8(references.count) << 2)
            bytes.append(contentsOf: references)
        }
    }
}
