/// Finds key frames in payloads without joining or decoding them, for a forwarder.
public enum KeyframeDetection {
    /// Whether a key frame begins in this payload, so that a receiver may start here.
    ///
    /// H.264 key frames often begin with a packet of parameter sets; then both that packet and the
    /// first one of the IDR picture itself return true.
    public static func isKeyframeStart(payload: ArraySlice<UInt8>, codec: MediaCodec) -> Bool {
        switch codec {
        case .vp8, .vp9: PayloadSummary(payload: payload, codec: codec).isKeyframeStart
        case .h264: isH264(payload)
        case .av1: isAV1(payload)
        case .opus: !payload.isEmpty
        }
    }

    private static func isH264(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let header = payload.first else { return false }
        switch H264NALUnit.kind(of: header) {
        case H264NALUnit.aggregation:
            var isFound = false
            _ = H264NALUnit.forEachAggregated(payload.dropFirst()) { unit in
                isFound = isFound || startsKeyframe(unit)
            }
            return isFound
        case H264NALUnit.fragmentation:
            guard let second = payload.dropFirst().first, second & 0x80 != 0 else { return false }
            return startsKeyframe([second] + payload.dropFirst(2).prefix(1))
        default:
            return startsKeyframe(payload)
        }
    }

    private static func startsKeyframe(_ unit: ArraySlice<UInt8>) -> Bool {
        guard let header = unit.first, unit.count > 1 else { return false }
        return switch H264NALUnit.kind(of: header) {
        case H264NALUnit.sequenceParameterSet: true
        case H264NALUnit.instantaneousRefresh: H264NALUnit.isFirstSlice(unit.dropFirst())
        default: false
        }
    }

    private static func isAV1(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let first = payload.first, payload.count > AV1AggregationHeader.bytes else {
            return false
        }
        let header = AV1AggregationHeader(first)
        guard !header.continuesPrevious else { return false }
        if header.startsSequence { return true }
        // Not every sender sets N; a sequence header comes with key frames only.
        guard let elements = AV1AggregationHeader.elements(of: payload) else { return false }
        return elements.contains { element in
            element.first.map {
                $0 & 0x80 == 0 && $0 >> 3 & 0x0F == AV1OpenBitstreamUnit.Kind.sequenceHeader
            } ?? false
        }
    }
}
