import ISOMedia
import MediaKernel

/// The samples of one segment, in MP4's form and order.
public struct SegmentSamples: Hashable, Sendable {
    public private(set) var table: SegmentTable
    /// The pictures' bytes, one after the other.
    public private(set) var pictureBytes: [UInt8] = []
    /// The blocks' bytes, one after the other, without ADTS headers.
    public private(set) var soundBytes: [UInt8] = []

    /// - Throws: `.malformed` for content that Roomcast does not write.
    public init(parsing bytes: [UInt8], clock: SegmentClock) throws(RecordingError) {
        table = SegmentTable(clock: clock)
        pictureBytes.reserveCapacity(bytes.count)
        var reader = TransportStreamReader(bytes)
        try reader.read { packet throws(RecordingError) in
            switch packet.kind {
            case .picture: try takePicture(packet)
            case .sound: try takeSound(packet)
            }
        }
        try table.check()
    }

    /// - Parameters:
    ///   - bytes: of a segment of fragmented MP4.
    ///   - parameterSets: from its initialization section.
    ///   - format: of its sound; nil without sound.
    /// - Throws: `.malformed` for content that Roomcast does not write.
    public init(
        fragments bytes: [UInt8], clock: SegmentClock, parameterSets: ParameterSets?,
        format: SoundFormat?
    ) throws(RecordingError) {
        table = SegmentTable(clock: clock)
        let reader: FragmentReader
        do throws(FragmentReader.Malformed) {
            reader = try FragmentReader(bytes)
        } catch {
            throw .malformed(what: error.what, offset: error.offset)
        }
        let times = FragmentClock(
            frameRate: clock.frameRate, sampleRate: format?.sampleRate ?? 1)
        let start = times.pictureTicks(
            MediaTime(ticks: clock.firstFrame, timescale: Int32(clock.frameRate)))
        for sample in reader.samples[FragmentClock.pictures] ?? [] {
            let shown = Int64(sample.decodingTime) + Int64(sample.compositionOffset)
            try table.add(
                PictureSample(
                    byteCount: UInt32(sample.bytes.count),
                    frame: Int(shown - start) / Int(PictureTrack.ticksPerFrame),
                    isKeyframe: sample.isSync), offset: sample.bytes.lowerBound)
            pictureBytes += bytes[sample.bytes]
        }
        if !table.pictures.isEmpty { table.complete(with: parameterSets) }
        for (index, sample) in (reader.samples[FragmentClock.sound] ?? []).enumerated() {
            guard let format else { throw .malformed(what: "block of sound", offset: 0) }
            let first =
                Int64(sample.decodingTime) - times.soundTicks(MediaTime(ticks: 0, timescale: 1))
            if index == 0 { table.beginSound(format, at: first) }
            guard first == table.nextBlock else {
                throw .malformed(what: "gap in the sound", offset: sample.bytes.lowerBound)
            }
            table.add(block: sample.bytes.count)
            soundBytes += bytes[sample.bytes]
        }
        try table.check()
    }

    private mutating func takePicture(
        _ packet: TransportStreamReader.Packet
    ) throws(RecordingError) {
        let unit = AccessUnit(
            annexB: packet.bytes, from: packet.payloadStart, appendingTo: &pictureBytes)
        try table.add(unit, at: packet.timestamp, offset: packet.offset)
    }

    private mutating func takeSound(
        _ packet: TransportStreamReader.Packet
    ) throws(RecordingError) {
        var position = packet.payloadStart
        while position < packet.bytes.count {
            guard let header = ADTSHeader(packet.bytes, at: position),
                table.sound == nil || table.sound?.format == header.format
            else { throw .malformed(what: "block of sound", offset: packet.offset) }
            if position == packet.payloadStart {
                try table.checkSound(header.format, at: packet.timestamp, offset: packet.offset)
            }
            let end = position + header.byteCount
            table.add(block: header.byteCount - header.headerBytes)
            soundBytes.append(contentsOf: packet.bytes[(position + header.headerBytes)..<end])
            position = end
        }
    }
}
