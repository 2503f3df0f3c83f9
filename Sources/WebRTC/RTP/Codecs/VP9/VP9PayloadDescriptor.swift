import MediaKernel

/// The descriptor before the VP9 bytes in every packet. RFC 9628 sect. 4.2.
///
/// ```
/// |I|P|L|F|B|E|V|Z|
/// I:        |M| PICTURE ID  |   M: | PICTURE ID, low 8 bits |
/// L:        | TID |U| SID |D|   and without F: |   TL0PICIDX   |
/// P and F:  | P_DIFF      |N|   up to three times, while N is set
/// V:        scalability structure, see `VP9ScalabilityStructure`
/// ```
public struct VP9PayloadDescriptor: Hashable, Sendable {
    /// P: refers to earlier pictures. False for every layer frame of a key picture.
    public var isInterPicturePredicted = false
    /// F: each packet names its references.
    public var isFlexible = false
    /// B and E: the first and the last packet of a layer frame.
    public var startsLayerFrame = false
    public var endsLayerFrame = false
    /// Z: the layers above may not use this one.
    public var isNotReferenceForUpper = false
    /// 15 bits (or 7), rises by one with each picture.
    public var pictureID: UInt16?
    /// Whether the picture ID takes two bytes.
    public var hasLongPictureID = true
    public var layer: Layer?
    /// In flexible mode, how many pictures back each reference is: 1 ... 127; at most three.
    public var references: [UInt8] = []
    public var structure: VP9ScalabilityStructure?

    /// The position of a layer frame in the grid of layers.
    public struct Layer: Hashable, Sendable {
        /// TID, 0 ... 7.
        public var temporal: UInt8
        /// U: a receiver may go up to this temporal layer here.
        public var isSwitchingUpPoint: Bool
        /// SID, 0 ... 7.
        public var spatial: UInt8
        /// D: depends on the spatial layer below in the same picture.
        public var isInterLayerPredicted: Bool
        /// TL0PICIDX, in non-flexible mode.
        public var temporalLayerZeroIndex: UInt8

        public init(
            temporal: UInt8, isSwitchingUpPoint: Bool = false, spatial: UInt8 = 0,
            isInterLayerPredicted: Bool = false, temporalLayerZeroIndex: UInt8 = 0
        ) {
            self.temporal = temporal
            self.isSwitchingUpPoint = isSwitchingUpPoint
            self.spatial = spatial
            self.isInterLayerPredicted = isInterLayerPredicted
            self.temporalLayerZeroIndex = temporalLayerZeroIndex
        }
    }

    public static let referencesMaximum = 3

    public init() {}

    /// Whether a key picture begins in this packet: its lowest layer, without references to earlier
    /// pictures.
    public var startsKeyPicture: Bool {
        startsLayerFrame && !isInterPicturePredicted && (layer?.spatial ?? 0) == 0
    }

    /// Parses the descriptor and returns the bytes after it.
    public static func parse(
        _ payload: ArraySlice<UInt8>
    ) throws(RTPError) -> (descriptor: VP9PayloadDescriptor, rest: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        let descriptor: VP9PayloadDescriptor
        do throws(TruncatedInput) {
            descriptor = try VP9PayloadDescriptor(&reader)
        } catch {
            throw RTPError(error)
        }
        guard descriptor.references.count <= referencesMaximum else {
            throw .malformedPayload(.vp9, .invalidLength)
        }
        return (descriptor, reader.readRest())
    }

    private init(_ reader: inout ByteReader) throws(TruncatedInput) {
        let flags = try reader.readUInt8()
        isInterPicturePredicted = flags & 0x40 != 0
        isFlexible = flags & 0x10 != 0
        startsLayerFrame = flags & 0x08 != 0
        endsLayerFrame = flags & 0x04 != 0
        isNotReferenceForUpper = flags & 0x01 != 0
        if flags & 0x80 != 0 {
            let high = try reader.readUInt8()
            hasLongPictureID = high & 0x80 != 0
            let low = hasLongPictureID ? try reader.readUInt8() : 0
            pictureID =
                hasLongPictureID ? UInt16(high & 0x7F) << 8 | UInt16(low) : UInt16(high)
        }
        if flags & 0x20 != 0 {
            let byte = try reader.readUInt8()
            layer = Layer(
                temporal: byte >> 5, isSwitchingUpPoint: byte & 0x10 != 0,
                spatial: byte >> 1 & 7, isInterLayerPredicted: byte & 1 != 0,
                temporalLayerZeroIndex: isFlexible ? 0 : try reader.readUInt8())
        }
        if isFlexible, isInterPicturePredicted {
            var hasMore = true
            // Reads one more than allowed so that the caller can tell.
            while hasMore, references.count <= Self.referencesMaximum {
                let byte = try reader.readUInt8()
                references.append(byte >> 1)
                hasMore = byte & 1 != 0
            }
        }
        if flags & 0x02 != 0 { structure = try VP9ScalabilityStructure(&reader) }
    }

    public func serialized() -> [UInt8] {
        let references = isFlexible && isInterPicturePredicted ? references.prefix(3) : []
        var bytes: [UInt8] = [0]
        bytes[0] =
            (pictureID != nil ? 0x80 : 0) | (isInterPicturePredicted ? 0x40 : 0)
            | (layer != nil ? 0x20 : 0) | (isFlexible ? 0x10 : 0)
            | (startsLayerFrame ? 0x08 : 0) | (endsLayerFrame ? 0x04 : 0)
            | (structure != nil ? 0x02 : 0) | (isNotReferenceForUpper ? 0x01 : 0)
        if let pictureID {
            if hasLongPictureID {
                bytes.append(bigEndian: pictureID | 0x8000)
            } else {
                bytes.append(UInt8(pictureID & 0x7F))
            }
        }
        if let layer {
            bytes.append(
                (layer.temporal & 7) << 5 | (layer.isSwitchingUpPoint ? 0x10 : 0)
                    | (layer.spatial & 7) << 1 | (layer.isInterLayerPredicted ? 1 : 0))
            if !isFlexible { bytes.append(layer.temporalLayerZeroIndex) }
        }
        for (index, reference) in references.enumerated() {
            bytes.append(reference << 1 | (index < references.count - 1 ? 1 : 0))
        }
        structure?.write(into: &bytes)
        return bytes
    }
}
