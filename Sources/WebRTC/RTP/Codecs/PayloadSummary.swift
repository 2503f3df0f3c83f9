/// What a forwarder must know of a packet's payload, read once however many receive it.
public struct PayloadSummary: Hashable, Sendable {
    /// A receiver may start here.
    public var isKeyframeStart = false
    /// A picture begins here; false also where the codec does not say.
    public var startsPicture = false
    /// The size of the key frame that begins here, where it says so: for a scalable stream one
    /// for each spatial layer, lowest first.
    public var sizes: [PictureSize] = []
    /// H264: a sequence, or a picture parameter set lies in it. No decoder shows a key frame without.
    public var hasSequenceSet = false
    public var hasPictureSet = false
    /// Nobody needs it, as who knows the stream says: it need not be forwarded.
    public var isDispensable = false
    public var vp8: VP8Fields?
    public var vp9: VP9Fields?

    /// The numbers that VP8's descriptor counts with, and where they are.
    public struct VP8Fields: Hashable, Sendable {
        public var pictureID: UInt16?
        public var hasLongPictureID = false
        public var temporalLayerZeroIndex: UInt8?
        public var temporalLayer: UInt8?
        /// Depends on the temporal layer 0 only.
        public var isSync = false
        /// Bytes from the payload's start.
        var pictureIDOffset = 0
        var temporalLayerZeroOffset = 0
    }

    /// Where a VP9 packet stands among the layers.
    public struct VP9Fields: Hashable, Sendable {
        public var spatialLayer: UInt8 = 0
        public var startsLayerFrame = false
        public var endsLayerFrame = false
        public var isInterPicturePredicted = false
    }

    public init(payload: ArraySlice<UInt8>, codec: MediaCodec) {
        switch codec {
        case .opus:
            isKeyframeStart = !payload.isEmpty
        case .vp8:
            readVP8(payload)
        case .vp9:
            readVP9(payload)
        case .h264:
            isKeyframeStart = KeyframeDetection.isKeyframeStart(payload: payload, codec: codec)
            let kinds = H264NALUnit.kinds(in: payload)
            hasSequenceSet = kinds & 1 << H264NALUnit.sequenceParameterSet != 0
            hasPictureSet = kinds & 1 << H264NALUnit.pictureParameterSet != 0
            if isKeyframeStart, let size = H264NALUnit.pictureSize(in: payload) { sizes = [size] }
        case .av1:
            isKeyframeStart = KeyframeDetection.isKeyframeStart(payload: payload, codec: codec)
            if isKeyframeStart, let size = AV1AggregationHeader.pictureSize(in: payload) {
                sizes = [size]
            }
        }
    }

    private mutating func readVP8(_ payload: ArraySlice<UInt8>) {
        guard let (descriptor, rest) = try? VP8PayloadDescriptor.parse(payload) else { return }
        var fields = VP8Fields()
        fields.pictureID = descriptor.pictureID
        fields.hasLongPictureID = descriptor.hasLongPictureID
        fields.temporalLayerZeroIndex = descriptor.temporalLayerZeroIndex
        fields.temporalLayer = descriptor.temporalLayer?.index
        fields.isSync = descriptor.temporalLayer?.isSync ?? false
        // X and its flags come first when any of these is there. RFC 7741 sect. 4.2.
        fields.pictureIDOffset = 2
        let idBytes = descriptor.pictureID == nil ? 0 : descriptor.hasLongPictureID ? 2 : 1
        fields.temporalLayerZeroOffset = 2 + idBytes
        vp8 = fields
        startsPicture = descriptor.startsFrame && !rest.isEmpty
        guard startsPicture, let header = VP8FrameHeader(rest), header.isKeyframe else { return }
        isKeyframeStart = true
        if let size = header.size { sizes = [size] }
    }

    private mutating func readVP9(_ payload: ArraySlice<UInt8>) {
        guard let (descriptor, rest) = try? VP9PayloadDescriptor.parse(payload) else { return }
        var fields = VP9Fields()
        fields.spatialLayer = descriptor.layer?.spatial ?? 0
        fields.startsLayerFrame = descriptor.startsLayerFrame
        fields.endsLayerFrame = descriptor.endsLayerFrame
        fields.isInterPicturePredicted = descriptor.isInterPicturePredicted
        vp9 = fields
        isKeyframeStart = descriptor.startsKeyPicture && !rest.isEmpty
        startsPicture = descriptor.startsLayerFrame && fields.spatialLayer == 0
        guard isKeyframeStart else { return }
        if let structure = descriptor.structure, !structure.sizes.isEmpty {
            sizes = structure.sizes
        } else if let size = VP9FrameHeader.size(of: rest) {
            sizes = [size]
        }
    }
}

extension PayloadSummary.VP8Fields {
    /// The payload with other numbers in it. Copies it, unless they are the same.
    public func renumbered(
        _ payload: ArraySlice<UInt8>, pictureID: UInt16?, temporalLayerZeroIndex: UInt8?
    ) -> ArraySlice<UInt8> {
        let id = pictureID.map { $0 & (hasLongPictureID ? 0x7FFF : 0x7F) }
        guard id != self.pictureID || temporalLayerZeroIndex != self.temporalLayerZeroIndex else {
            return payload
        }
        var bytes = [UInt8](payload)
        if let id, self.pictureID != nil {
            if hasLongPictureID {
                bytes[pictureIDOffset] = 0x80 | UInt8(id >> 8)
                bytes[pictureIDOffset + 1] = UInt8(truncatingIfNeeded: id)
            } else {
                bytes[pictureIDOffset] = UInt8(id)
            }
        }
        if let temporalLayerZeroIndex, self.temporalLayerZeroIndex != nil {
            bytes[temporalLayerZeroOffset] = temporalLayerZeroIndex
        }
        return bytes[...]
    }
}
