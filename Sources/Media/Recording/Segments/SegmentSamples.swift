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
