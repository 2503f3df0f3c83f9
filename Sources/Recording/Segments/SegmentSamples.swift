/// The samples of one segment, in the form and the order in which MP4 has them.
///
/// Both the log's lines and the assets are made of this, so they cannot disagree.
public struct SegmentSamples: Hashable, Sendable {
    /// Nil where there is sound alone.
    public private(set) var parameterSets: ParameterSets?
    /// In decoding order.
    public private(set) var pictures: [PictureSample] = []
    /// The pictures' bytes, one behind the other.
    public private(set) var pictureBytes: [UInt8] = []
    /// Nil where there is no block.
    public private(set) var soundFormat: SoundFormat?
    /// Where the first block begins, in samples on the clock of the run.
    public private(set) var firstSample: Int64 = 0
    public private(set) var blockSizes: [UInt32] = []
    /// The blocks' bytes, one behind the other, without ADTS headers.
    public private(set) var soundBytes: [UInt8] = []

    private let clock: SegmentClock
    private var nextSample: Int64?

    /// - Throws: `.malformed` for everything that Roomcast does not write.
    public init(parsing bytes: [UInt8], clock: SegmentClock) throws(RecordingError) {
        self.clock = clock
        pictureBytes.reserveCapacity(bytes.count)
        var reader = TransportStreamReader(bytes)
        try reader.read { packet throws(RecordingError) in
            switch packet.kind {
            case .picture: try takePicture(packet)
            case .sound: try takeSound(packet)
            }
        }
        guard pictures.isEmpty || parameterSets != nil else {
            throw .malformed(what: "no parameter sets", offset: 0)
        }
    }

    private mutating func takePicture(
        _ packet: TransportStreamReader.Packet
    ) throws(RecordingError) {
        let unit = AccessUnit(
            annexB: packet.bytes, from: packet.payloadStart, appendingTo: &pictureBytes)
        let frame = clock.frame(at: packet.timestamp)
        guard unit.byteCount > 0, unit.byteCount <= PictureSample.bytesMaximum,
            (0..<SegmentRecord.framesMaximum).contains(frame)
        else { throw .malformed(what: "picture", offset: packet.offset) }
        if let sequence = unit.sequenceParameters, let picture = unit.pictureParameters {
            guard let sets = ParameterSets(sequence: sequence, picture: picture),
                parameterSets == nil || parameterSets == sets
            else { throw .malformed(what: "parameter sets", offset: packet.offset) }
            parameterSets = sets
        }
        pictures.append(
            PictureSample(
                byteCount: UInt32(unit.byteCount), frame: Int(frame), isKeyframe: unit.isKeyframe))
    }

    private mutating func takeSound(
        _ packet: TransportStreamReader.Packet
    ) throws(RecordingError) {
        var position = packet.payloadStart
        var isFirst = true
        while position < packet.bytes.count {
            guard let header = ADTSHeader(packet.bytes, at: position),
                soundFormat == nil || soundFormat == header.format
            else { throw .malformed(what: "block of sound", offset: packet.offset) }
            soundFormat = header.format
            if isFirst {
                let sample = clock.sample(at: packet.timestamp, rate: header.format.sampleRate)
                guard nextSample == nil || nextSample == sample else {
                    throw .malformed(what: "gap in the sound", offset: packet.offset)
                }
                if nextSample == nil { firstSample = sample }
                nextSample = sample
                isFirst = false
            }
            let end = position + header.byteCount
            blockSizes.append(UInt32(header.byteCount - header.headerBytes))
            soundBytes.append(contentsOf: packet.bytes[(position + header.headerBytes)..<end])
            nextSample = nextSample.map { $0 + Int64(SoundFormat.blockSamples) }
            position = end
        }
    }
}
