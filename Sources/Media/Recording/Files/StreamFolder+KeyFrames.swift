import Glibc

extension StreamFolder {
    /// The first picture of a segment, which is a key frame, as decoders take it: with its parameter
    /// sets, in the form of H.264 Annex B.
    ///
    /// Of the file no more is read than about what the picture takes.
    ///
    /// - Throws: `.damaged` when it is not the picture that was recorded, or there is none.
    public func keyFrame(
        _ record: SegmentRecord, layer: Int
    ) throws(RecordingError) -> [UInt8] {
        guard let first = record.pictures.first, first.isKeyframe else {
            throw .damaged(layer: layer, segment: record.number)
        }
        // Packets' headers, and the sound that lies between.
        var count = Int(first.byteCount) + Int(first.byteCount) / 8 + Self.betweenBytes
        while true {
            count = min(count - count % TransportStreamReader.packetBytes, record.byteCount)
            guard let bytes = try? Self.read(segmentPath(record, layer: layer), first: count) else {
                throw .damaged(layer: layer, segment: record.number)
            }
            if let picture = Self.firstPicture(in: bytes, like: first) { return picture }
            // A file that was cut off never becomes as long as it was.
            guard bytes.count == count, count < record.byteCount else {
                throw .damaged(layer: layer, segment: record.number)
            }
            count *= 2
        }
    }

    private static let betweenBytes = 16 << 10

    /// Nil unless it is there whole.
    private static func firstPicture(in bytes: [UInt8], like sample: PictureSample) -> [UInt8]? {
        var found: [UInt8]?
        var reader = TransportStreamReader(bytes)
        // What was cut off at the end is malformed, which says nothing of what came before.
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
