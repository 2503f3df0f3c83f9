import MediaKernel

/// The newest parameter sets of an H.264 stream, from its description and from its packets. Some
/// senders put them only in the description, and some send them only before their first picture.
public struct H264SetMemory: Hashable, Sendable {
    /// The most sets remembered of each kind, and the most bytes of each: streams use one or two of
    /// a few dozen bytes.
    static let setsMaximum = 8
    static let setBytesMaximum = 1024
    /// The most characters of `sprop-parameter-sets` to read.
    public static let statedCharactersMaximum = 4096
    /// The most bytes of a payload, so that it fits into every packet.
    static let payloadBytesMaximum = 1100

    /// NAL units without start codes, the newest last.
    private(set) var sequenceSets: [[UInt8]] = []
    private(set) var pictureSets: [[UInt8]] = []

    public init() {}

    /// Parses `sprop-parameter-sets`: NAL units in base 64, separated by commas. RFC 6184 sect.
    /// 8.1. Skips units of other kinds. Nil if it cannot be parsed or a kind is missing.
    public init?(stated text: String) {
        guard text.utf8.count <= Self.statedCharactersMaximum else { return nil }
        for part in text.split(separator: ",") {
            guard let unit = Base64.bytes(part) else { return nil }
            remember(unit[...])
        }
        guard isComplete else { return nil }
    }

    /// Whether a decoder has all the sets it needs.
    public var isComplete: Bool { !sequenceSets.isEmpty && !pictureSets.isEmpty }

    /// The picture size according to the newest sequence parameter set.
    public var size: PictureSize? {
        sequenceSets.last.flatMap { H264SequenceParameterSet($0[...])?.size }
    }

    /// Takes the sets that lie whole in an RTP payload.
    public mutating func read(_ payload: ArraySlice<UInt8>) {
        guard let header = payload.first else { return }
        if H264NALUnit.kind(of: header) == H264NALUnit.aggregation {
            _ = H264NALUnit.forEachAggregated(payload.dropFirst()) { remember($0) }
        } else {
            remember(payload)
        }
    }

    /// Stores a NAL unit if it is a parameter set; it replaces the set with the same id.
    mutating func remember(_ unit: ArraySlice<UInt8>) {
        guard let header = unit.first, unit.count <= Self.setBytesMaximum else { return }
        switch H264NALUnit.kind(of: header) {
        case H264NALUnit.sequenceParameterSet where unit.count > 4:
            Self.keep(unit, in: &sequenceSets, identifiedBy: H264SequenceParameterSet.id)
        case H264NALUnit.pictureParameterSet where unit.count > 1:
            Self.keep(unit, in: &pictureSets, identifiedBy: Self.pictureParameterSetID)
        default: break
        }
    }

    private static func keep(
        _ unit: ArraySlice<UInt8>, in sets: inout [[UInt8]],
        identifiedBy id: (ArraySlice<UInt8>) -> UInt32?
    ) {
        guard sets.last.map({ !$0.elementsEqual(unit) }) ?? true else { return }
        let newID = id(unit)
        sets.removeAll { id($0[...]) == newID }
        sets.append(Array(unit))
        if sets.count > setsMaximum { sets.removeFirst() }
    }

    private static func pictureParameterSetID(_ unit: ArraySlice<UInt8>) -> UInt32? {
        var reader = BitReader(unit.dropFirst())
        return try? reader.readExpGolomb()
    }

    /// All sets in one RTP payload, to be sent before a key frame that comes without them. Nil if a
    /// kind is missing or they do not fit in a packet.
    public var payload: [UInt8]? {
        guard isComplete else { return nil }
        let payload = H264NALUnit.aggregate((sequenceSets + pictureSets).map { $0[...] })
        return payload.count <= Self.payloadBytesMaximum ? payload : nil
    }
}
