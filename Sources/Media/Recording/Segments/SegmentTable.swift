/// The data about a segment's samples that an MP4 header needs before they are read.
///
/// Made from an encoder's packets on their way into the segment. ``SegmentSamples`` reads the same
/// from a finished segment.
public struct SegmentTable: Hashable, Sendable {
    /// Nil for audio alone.
    public private(set) var parameterSets: ParameterSets?
    /// In decoding order.
    public private(set) var pictures: [PictureSample] = []
    public private(set) var sound: SegmentRecord.SoundRecord?
    private let clock: SegmentClock

    public init(clock: SegmentClock) { self.clock = clock }

    /// Takes the next picture, in decoding order.
    ///
    /// - Parameters:
    ///   - unit: an access unit in Annex B form.
    ///   - timestamp: of its presentation, in ticks of 90 kHz.
    /// - Throws: `.malformed` for pictures that Roomcast's encoders do not make.
    public mutating func add(picture unit: [UInt8], at timestamp: Int64) throws(RecordingError) {
        try add(AccessUnit(annexB: unit), at: timestamp, offset: 0)
    }

    /// Sets the parameter sets if no picture had any.
    public mutating func complete(with sets: ParameterSets?) {
        parameterSets = parameterSets ?? sets
    }

    /// Takes the next block of sound.
    ///
    /// - Parameters:
    ///   - byteCount: without ADTS header.
    ///   - timestamp: in ticks of 90 kHz.
    /// - Throws: `.malformed` when it does not continue the previous block.
    public mutating func add(
        block byteCount: Int, _ format: SoundFormat, at timestamp: Int64
    ) throws(RecordingError) {
        guard sound == nil || sound?.format == format else {
            throw .malformed(what: "block of sound", offset: 0)
        }
        try checkSound(format, at: timestamp, offset: 0)
        add(block: byteCount)
    }

    mutating func add(
        _ unit: AccessUnit, at timestamp: Int64, offset: Int
    ) throws(RecordingError) {
        if let sequence = unit.sequenceParameters, let picture = unit.pictureParameters {
            guard let sets = ParameterSets(sequence: sequence, picture: picture),
                parameterSets == nil || parameterSets == sets
            else { throw .malformed(what: "parameter sets", offset: offset) }
            parameterSets = sets
        }
        try add(
            PictureSample(
                byteCount: UInt32(clamping: unit.byteCount),
                frame: Int(clock.frame(at: timestamp)), isKeyframe: unit.isKeyframe),
            offset: offset)
    }

    mutating func add(_ picture: PictureSample, offset: Int) throws(RecordingError) {
        guard picture.byteCount > 0, picture.byteCount <= PictureSample.bytesMaximum,
            (0..<Int(SegmentRecord.framesMaximum)).contains(picture.frame)
        else { throw .malformed(what: "picture", offset: offset) }
        pictures.append(picture)
    }

    /// Checks that a block of that time continues the previous one.
    mutating func checkSound(
        _ format: SoundFormat, at timestamp: Int64, offset: Int
    ) throws(RecordingError) {
        let sample = clock.sample(at: timestamp, rate: format.sampleRate)
        guard let nextBlock else { return beginSound(format, at: sample) }
        guard sample == nextBlock else {
            throw .malformed(what: "gap in the sound", offset: offset)
        }
    }

    mutating func beginSound(_ format: SoundFormat, at sample: Int64) {
        sound = SegmentRecord.SoundRecord(format: format, firstSample: sample, blockSizes: [])
    }

    /// Where the next block begins, in samples on the run's clock; nil before the first.
    var nextBlock: Int64? {
        sound.map {
            $0.firstSample + Int64($0.blockSizes.count) * Int64(SoundFormat.blockSamples)
        }
    }

    mutating func add(block byteCount: Int) {
        sound?.blockSizes.append(UInt32(byteCount))
    }

    /// - Throws: `.malformed` for pictures without parameter sets.
    func check() throws(RecordingError) {
        guard pictures.isEmpty || parameterSets != nil else {
            throw .malformed(what: "no parameter sets", offset: 0)
        }
    }
}
