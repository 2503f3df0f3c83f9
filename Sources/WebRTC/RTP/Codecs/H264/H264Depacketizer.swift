/// Joins H.264 payloads to access units in Annex B form. RFC 6184, packetization modes 0 and 1:
/// single NAL units, STAP-A and FU-A.
///
/// ```
/// STAP-A:  | F NRI 24 |  length (16) | NAL unit |  length (16) | NAL unit | ...
/// FU-A:    | F NRI 28 |  S E R type  |  piece of the NAL unit's body
/// ```
///
/// Remembers the last parameter sets and puts them before an IDR picture that comes without them,
/// so that every key frame is decodable by itself. Refuses an IDR picture if no sets are known.
public struct H264Depacketizer: Depacketizer {
    private var sets = H264SetMemory()

    public init() {}

    public func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let header = payload.first, payload.count >= 2 else { return false }
        guard H264NALUnit.kind(of: header) == H264NALUnit.fragmentation else { return true }
        return payload[payload.startIndex + 1] & 0x80 != 0
    }

    public mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame {
        var unit = AccessUnit(reserving: payloads.reduce(64) { $0 + $1.count + 4 })
        for payload in payloads { try unit.append(payload) }
        guard !unit.isFragmentOpen else { throw .malformedPayload(.h264, .brokenFragment) }
        remember(unit)
        guard unit.hasInstantaneousRefresh else {
            return DepacketizedFrame(data: unit.data, isKeyframe: false)
        }
        try completeParameterSets(of: &unit)
        return DepacketizedFrame(data: unit.data, isKeyframe: true, size: sets.size)
    }

    private mutating func remember(_ unit: AccessUnit) {
        for range in unit.parameterSets { sets.remember(unit.data[range]) }
    }

    private func completeParameterSets(of unit: inout AccessUnit) throws(RTPError) {
        let kinds = unit.parameterSets.map { H264NALUnit.kind(of: unit.data[$0.lowerBound]) }
        var missing: [[UInt8]] = []
        if !kinds.contains(H264NALUnit.sequenceParameterSet) { missing += sets.sequenceSets }
        if !kinds.contains(H264NALUnit.pictureParameterSet) { missing += sets.pictureSets }
        guard sets.isComplete else {
            throw .malformedPayload(.h264, .noStart)
        }
        guard !missing.isEmpty else { return }
        unit.insert(missing)
    }
}

/// The NAL units of one picture received so far, already in Annex B form.
private struct AccessUnit {
    private(set) var data: [UInt8] = []
    /// Where in `data` the parameter sets are, without start codes.
    private(set) var parameterSets: [Range<Int>] = []
    private(set) var hasInstantaneousRefresh = false
    private(set) var isFragmentOpen = false
    private var unitStart = 0
    /// The end of a leading access unit delimiter, which must stay first.
    private var delimiterEnd = 0

    init(reserving count: Int) { data.reserveCapacity(count) }

    mutating func append(_ payload: ArraySlice<UInt8>) throws(RTPError) {
        guard let header = payload.first, payload.count >= 2 else {
            throw .malformedPayload(.h264, .empty)
        }
        let kind = H264NALUnit.kind(of: header)
        if kind == H264NALUnit.fragmentation { return try appendFragment(payload) }
        guard !isFragmentOpen else { throw .malformedPayload(.h264, .brokenFragment) }
        switch kind {
        case 1...H264NALUnit.lastSingle:
            appendUnit(payload)
        case H264NALUnit.aggregation:
            let isWhole = H264NALUnit.forEachAggregated(payload.dropFirst()) { appendUnit($0) }
            guard isWhole else { throw .malformedPayload(.h264, .invalidLength) }
        default:
            throw .malformedPayload(.h264, .unsupportedUnit(kind))
        }
    }

    private mutating func appendFragment(_ payload: ArraySlice<UInt8>) throws(RTPError) {
        guard payload.count >= 3 else { throw .malformedPayload(.h264, .empty) }
        let indicator = payload[payload.startIndex]
        let header = payload[payload.startIndex + 1]
        let isStart = header & 0x80 != 0
        guard isStart != isFragmentOpen else {
            throw .malformedPayload(.h264, .brokenFragment)
        }
        if isStart { open(header: indicator & 0xE0 | header & 0x1F) }
        data.append(contentsOf: payload.dropFirst(2))
        isFragmentOpen = header & 0x40 == 0
        if !isFragmentOpen { close() }
    }

    private mutating func appendUnit(_ unit: ArraySlice<UInt8>) {
        guard let header = unit.first else { return }
        open(header: header)
        data.append(contentsOf: unit.dropFirst())
        close()
    }

    private mutating func open(header: UInt8) {
        data.append(contentsOf: H264NALUnit.startCode)
        unitStart = data.count
        data.append(header)
    }

    private mutating func close() {
        switch H264NALUnit.kind(of: data[unitStart]) {
        case H264NALUnit.instantaneousRefresh:
            hasInstantaneousRefresh = true
        case H264NALUnit.sequenceParameterSet, H264NALUnit.pictureParameterSet:
            parameterSets.append(unitStart..<data.count)
        case H264NALUnit.accessUnitDelimiter where unitStart == H264NALUnit.startCode.count:
            delimiterEnd = data.count
        default:
            break
        }
    }

    /// Puts parameter sets before the picture; call once everything is in.
    mutating func insert(_ sets: [[UInt8]]) {
        var prefix: [UInt8] = []
        for set in sets { prefix += H264NALUnit.startCode + set }
        data.insert(contentsOf: prefix, at: delimiterEnd)
        parameterSets = parameterSets.map {
            ($0.lowerBound + prefix.count)..<($0.upperBound + prefix.count)
        }
    }
}
