import Glibc

extension StreamFolder {
    /// A segment's first picture, a key frame, in the decoders' form: with parameter sets, as H.264
    /// Annex B.
    ///
    /// Reads little more of the file than the picture takes.
    ///
    /// - Throws: `.damaged` when the picture is missing or not the recorded one.
    public func keyFrame(
        _ record: SegmentRecord, layer: Int
    ) throws(RecordingError) -> [UInt8] {
        guard let first = record.pictures.first, first.isKeyframe else {
            throw .damaged(layer: layer, segment: record.number)
        }
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

    /// - Throws: `.file`.
    private static func read(_ path: String, first count: Int) throws(RecordingError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        return try read(file, path, first: count)
    }
}
