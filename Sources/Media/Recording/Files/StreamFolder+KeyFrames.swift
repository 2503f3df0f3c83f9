import Glibc
import HLS

extension StreamFolder {
    /// A segment's first picture, a key frame, in the decoders' form: with parameter sets, as H.264
    /// Annex B.
    ///
    /// Reads little more of a transport stream than the picture takes, and all of a fragment.
    ///
    /// - Throws: `.damaged` when the picture is missing or not the recorded one.
    public func keyFrame(
        _ record: SegmentRecord, layer: Int
    ) throws(RecordingError) -> [UInt8] {
        guard let first = record.pictures.first, first.isKeyframe else {
            throw .damaged(layer: layer, segment: record.number)
        }
        if record.format == .fragments { return try fragmentKeyFrame(record, layer: layer) }
        // Includes the packets' headers and the sound in between.
        var count = Int(first.byteCount) + Int(first.byteCount) / 8 + Self.betweenBytes
        while true {
            count = min(count - count % TransportStreamReader.packetBytes, record.byteCount)
            guard let bytes = try? Self.read(segmentPath(record, layer: layer), first: count) else {
                throw .damaged(layer: layer, segment: record.number)
            }
            if let picture = Self.firstPicture(in: bytes, like: first) { return picture }
            // A truncated file never reaches its recorded length.
            guard bytes.count == count, count < record.byteCount else {
                throw .damaged(layer: layer, segment: record.number)
            }
            count *= 2
        }
    }

    /// The first sample, with the parameter sets and start codes that it has not.
    private func fragmentKeyFrame(
        _ record: SegmentRecord, layer: Int
    ) throws(RecordingError) -> [UInt8] {
        let bytes = try segment(record, layer: layer)
        guard let sets = record.parameterSets, let first = record.pictures.first,
            let samples = try? record.samples(in: bytes)
        else { throw .damaged(layer: layer, segment: record.number) }
        let startCode: [UInt8] = [0, 0, 0, 1]
        var picture = startCode + sets.sequence + startCode + sets.picture
        var rest = samples.pictureBytes.prefix(Int(first.byteCount))
        while rest.count > 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            picture += startCode + rest.dropFirst(4).prefix(length)
            rest = rest.dropFirst(4 + length)
        }
        return picture
    }

    private static let betweenBytes = 16 << 10

    /// Nil unless it is complete.
    private static func firstPicture(in bytes: [UInt8], like sample: PictureSample) -> [UInt8]? {
        var found: [UInt8]?
        var reader = TransportStreamReader(bytes)
        // A truncated end is malformed, but the packets before it are valid.
        try? reader.read { packet in
            guard found == nil, packet.kind == .picture else { return }
            var samples: [UInt8] = []
            let unit = AccessUnit(
                annexB: packet.bytes, from: packet.payloadStart, appendingTo: &samples)
            guard unit.isKeyframe, unit.byteCount == Int(sample.byteCount) else { return }
            found = Array(packet.bytes[packet.payloadStart...])
        }
        return found
    }
}
