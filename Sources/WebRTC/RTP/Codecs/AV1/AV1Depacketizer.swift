/// Joins AV1 payloads to temporal units. AV1 RTP specification sect. 4.
///
/// Outputs the unit in the low-overhead format: a temporal delimiter first, every OBU with its
/// size. Drops delimiters, tile lists and padding received by RTP (sect. 5).
public struct AV1Depacketizer: Depacketizer {
    public init() {}

    public func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let first = payload.first, payload.count > AV1AggregationHeader.bytes else {
            return false
        }
        return !AV1AggregationHeader(first).continuesPrevious
    }

    public mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame {
        var unit = TemporalUnit(reserving: payloads.reduce(16) { $0 + $1.count + 8 })
        var fragment: [UInt8]?
        for (index, payload) in payloads.enumerated() {
            guard let first = payload.first,
                let elements = AV1AggregationHeader.elements(of: payload)
            else { throw .malformedPayload(.av1, .invalidLength) }
            guard !elements.isEmpty else { throw .malformedPayload(.av1, .empty) }
            let header = AV1AggregationHeader(first)
            guard header.continuesPrevious == (fragment != nil) else {
                throw .malformedPayload(.av1, index == 0 ? .noStart : .brokenFragment)
            }
            for (place, element) in elements.enumerated() {
                let isOpen = header.continuesInNext && place == elements.count - 1
                if place == 0, var begun = fragment {
                    begun.append(contentsOf: element)
                    fragment = isOpen ? begun : nil
                    if !isOpen { try unit.append(begun[...]) }
                } else if isOpen {
                    fragment = Array(element)
                } else {
                    try unit.append(element)
                }
            }
        }
        guard fragment == nil else { throw .malformedPayload(.av1, .brokenFragment) }
        guard unit.hasContent else { throw .malformedPayload(.av1, .empty) }
        return DepacketizedFrame(
            data: unit.data, isKeyframe: unit.isKeyframe,
            size: unit.isKeyframe ? unit.sequence?.size : nil)
    }
}

private struct TemporalUnit {
    private(set) var data: [UInt8]
    private(set) var sequence: AV1SequenceHeader?
    private(set) var hasContent = false
    private var hasSequence = false
    private var hasKeyFrame = false

    init(reserving count: Int) {
        data = []
        data.reserveCapacity(count)
        data += AV1OpenBitstreamUnit.temporalDelimiter
    }

    /// A frame is a key frame only together with its sequence header.
    var isKeyframe: Bool { hasSequence && hasKeyFrame }

    mutating func append(_ element: ArraySlice<UInt8>) throws(RTPError) {
        // An element may be empty. AV1 RTP specification sect. 4.3.
        guard !element.isEmpty else { return }
        guard let unit = AV1OpenBitstreamUnit(element) else {
            throw .malformedPayload(.av1, .invalidLength)
        }
        switch unit.kind {
        case AV1OpenBitstreamUnit.Kind.temporalDelimiter, AV1OpenBitstreamUnit.Kind.tileList,
            AV1OpenBitstreamUnit.Kind.padding:
            return
        case AV1OpenBitstreamUnit.Kind.sequenceHeader:
            hasSequence = true
            sequence = AV1SequenceHeader(unit.payload)
        case AV1OpenBitstreamUnit.Kind.frame, AV1OpenBitstreamUnit.Kind.frameHeader:
            // | show_existing_frame (1) | frame_type (2): 0 is a key frame |, sect. 5.9.2;
            // in a reduced still picture the header is absent and all frames are key frames.
            if sequence?.isReducedStillPicture == true {
                hasKeyFrame = true
            } else if let first = unit.payload.first, first & 0xE0 == 0 {
                hasKeyFrame = true
            }
        default:
            break
        }
        hasContent = true
        unit.write(into: &data)
    }
}
