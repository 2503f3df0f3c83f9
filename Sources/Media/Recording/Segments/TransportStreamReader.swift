/// Splits an MPEG transport stream into the PES packets of its H.264 and its AAC stream. ISO/IEC
/// 13818-1.
///
/// Reads the output of `TransportStreamMuxer`: tables that fit one packet, one program. Never reads
/// out of bounds, whatever the bytes are.
struct TransportStreamReader {
    enum Kind: Hashable, Sendable {
        case picture, sound
    }

    /// The payloads between two starts, joined.
    struct Packet {
        var kind: Kind
        /// 33 bits of a 90 kHz clock.
        var timestamp: Int64
        /// With the PES header, which ends at `payloadStart`.
        var bytes: [UInt8]
        var payloadStart: Int
        /// Its beginning in the segment.
        var offset: Int
    }

    static let packetBytes = 188
    private static let syncByte: UInt8 = 0x47
    private static let programTableID = 0
    /// stream_type, ISO/IEC 13818-1 table 2-34.
    private static let streamTypes: [UInt8: Kind] = [0x1B: .picture, 0x0F: .sound]

    private let bytes: [UInt8]
    private var mapTableID: Int?
    private var kinds: [Int: Kind] = [:]
    private var pending: [Int: Pending] = [:]

    private struct Pending {
        var bytes: [UInt8] = []
        var offset: Int
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Passes on all PES packets, each kind in its order.
    mutating func read(
        _ body: (Packet) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        for offset in stride(from: 0, to: bytes.count, by: Self.packetBytes) {
            guard bytes.count - offset >= Self.packetBytes, bytes[offset] == Self.syncByte else {
                throw .malformed(what: "no transport packet", offset: offset)
            }
            let id = Int(bytes[offset + 1] & 0x1F) << 8 | Int(bytes[offset + 2])
            let isStart = bytes[offset + 1] & 0x40 != 0
            guard let payload = try payload(at: offset) else { continue }
            if id == Self.programTableID {
                try readProgramTable(payload)
            } else if id == mapTableID {
                try readMapTable(payload)
            } else if let kind = kinds[id] {
                if isStart {
                    try finish(id, kind, body)
                    pending[id] = Pending(offset: offset)
                }
                pending[id]?.bytes.append(contentsOf: bytes[payload])
            }
        }
        for (id, kind) in kinds.sorted(by: { $0.key < $1.key }) { try finish(id, kind, body) }
    }

    /// The bytes after the header and the adaptation field; nil for a packet without payload. Sect.
    /// 2.4.3.2.
    private func payload(at offset: Int) throws(RecordingError) -> Range<Int>? {
        let control = bytes[offset + 3] >> 4 & 3
        guard control & 1 != 0 else { return nil }
        var start = offset + 4
        if control & 2 != 0 { start += 1 + Int(bytes[start]) }
        let end = offset + Self.packetBytes
        guard start <= end else { throw .malformed(what: "adaptation field", offset: offset) }
        return start..<end
    }

    // MARK: Tables

    /// The section's bytes between its length and its checksum. Sect. 2.4.4.
    private func section(
        _ payload: Range<Int>, table: UInt8
    ) throws(RecordingError) -> Range<Int> {
        let pointer = payload.isEmpty ? payload.count : Int(bytes[payload.lowerBound]) + 1
        let start = payload.lowerBound + pointer
        guard start + 3 <= payload.upperBound, bytes[start] == table else {
            throw .malformed(what: "table \(table)", offset: payload.lowerBound)
        }
        let length = Int(bytes[start + 1] & 0x0F) << 8 | Int(bytes[start + 2])
        let end = start + 3 + length - 4
        guard end >= start + 8, end + 4 <= payload.upperBound else {
            throw .malformed(what: "table \(table)", offset: start)
        }
        return start + 3..<end
    }

    private mutating func readProgramTable(_ payload: Range<Int>) throws(RecordingError) {
        let section = try section(payload, table: 0)
        for entry in stride(from: section.lowerBound + 5, to: section.upperBound - 3, by: 4) {
            let program = Int(bytes[entry]) << 8 | Int(bytes[entry + 1])
            // Program 0 is the network's.
            if program != 0 {
                mapTableID = Int(bytes[entry + 2] & 0x1F) << 8 | Int(bytes[entry + 3])
            }
        }
    }

    private mutating func readMapTable(_ payload: Range<Int>) throws(RecordingError) {
        let section = try section(payload, table: 2)
        guard section.count >= 9 else {
            throw .malformed(what: "program map", offset: section.lowerBound)
        }
        let information = section.lowerBound + 7
        var entry =
            information + 2 + (Int(bytes[information] & 0x0F) << 8 | Int(bytes[information + 1]))
        while entry + 5 <= section.upperBound {
            let id = Int(bytes[entry + 1] & 0x1F) << 8 | Int(bytes[entry + 2])
            if let kind = Self.streamTypes[bytes[entry]] { kinds[id] = kind }
            entry += 5 + (Int(bytes[entry + 3] & 0x0F) << 8 | Int(bytes[entry + 4]))
        }
    }

    // MARK: PES

    /// Sect. 2.4.3.6.
    private mutating func finish(
        _ id: Int, _ kind: Kind, _ body: (Packet) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        guard let pending = pending.removeValue(forKey: id) else { return }
        let packet = pending.bytes
        guard packet.count >= 14, packet[0] == 0, packet[1] == 0, packet[2] == 1,
            packet[7] & 0x80 != 0
        else { throw .malformed(what: "PES packet", offset: pending.offset) }
        let start = 9 + Int(packet[8])
        guard start >= 14, start <= packet.count else {
            throw .malformed(what: "PES header", offset: pending.offset)
        }
        let high = Int64(packet[9] >> 1 & 7) << 30
        let middle = Int64(packet[10]) << 22 | Int64(packet[11] >> 1) << 15
        let low = Int64(packet[12]) << 7 | Int64(packet[13] >> 1)
        try body(
            Packet(
                kind: kind, timestamp: high | middle | low, bytes: packet, payloadStart: start,
                offset: pending.offset))
    }
}
