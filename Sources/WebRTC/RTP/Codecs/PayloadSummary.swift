/// The properties of a packet's payload that a forwarder needs, read once for all receivers.
public struct PayloadSummary: Hashable, Sendable {
    /// A receiver may start here.
    public var isKeyframeStart = false
    /// A picture begins here; also false if the codec does not say.
    public var startsPicture = false
    /// The size of the key frame that begins here, if stated: for a scalable stream one size for
    /// each spatial layer, lowest first.
    public var sizes: [PictureSize] = []
    /// H.264: whether it holds a sequence or a picture parameter set. No decoder shows a key frame
    /// without both.
    public var hasSequenceSet = false
    public var hasPictureSet = false
    /// No receiver needs this packet, as someone who knows the stream has decided: it need not be
    /// forwarded.
    public var isDispensable = false
    public var vp8: VP8Fields?
    public var vp9: VP9Fields?

    /// The counters in VP8's descriptor, and their positions.
    public struct VP8Fields: Hashable, Sendable {
        public var pictureID: UInt16?
        public var hasLongPictureID = false
        public var temporalLayerZeroIndex: UInt8?
        public var temporalLayer: UInt8?
        /// Depends only on temporal layer 0.
        public var isSync = false
        /// Bytes from the payload's start.
        var pictureIDOffset = 0
        var temporalLayerZeroOffset = 0
    }

    /// The position of a VP9 packet among the layers.
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
        // X and its flags come first if any of these is present. RFC 7741 sect. 4.2.
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
    /// The payload with these counters. Copies it, unless they are unchanged.
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
