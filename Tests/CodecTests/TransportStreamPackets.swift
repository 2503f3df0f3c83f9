/// The packets of an MPEG transport stream, read byte by byte. ITU-T H.222.0 sect. 2.4.3.
struct TransportStreamPackets {
    struct Packet {
        var pid: Int
        var isStart: Bool
        var hasPayload: Bool
        var continuityCounter: Int
        var isDiscontinuous: Bool
        /// In ticks of 90 kHz.
        var clockReference: Int64?
        var payload: [UInt8]
    }

    var packets: [Packet] = []

    /// Nil unless the bytes are whole packets that start with the sync byte.
    init?(_ bytes: [UInt8]) {
        guard bytes.count % 188 == 0 else { return nil }
        for start in stride(from: 0, to: bytes.count, by: 188) {
            let p = Array(bytes[start..<start + 188])
            guard p[0] == 0x47 else { return nil }
            let control = p[3] >> 4 & 3
            var offset = 4
            var isDiscontinuous = false
            var reference: Int64?
            if control & 2 != 0 {
                let length = Int(p[4])
                if length > 0 {
                    isDiscontinuous = p[5] & 0x80 != 0
                    if p[5] & 0x10 != 0 {
                        let high = p[6...9].reduce(Int64(0)) { $0 << 8 | Int64($1) }
                        reference = high << 1 | Int64(p[10] >> 7)
                    }
                }
                offset += 1 + length
            }
            packets.append(
                Packet(
                    pid: Int(p[1] & 0x1F) << 8 | Int(p[2]), isStart: p[1] & 0x40 != 0,
                    hasPayload: control & 1 != 0, continuityCounter: Int(p[3] & 0x0F),
                    isDiscontinuous: isDiscontinuous, clockReference: reference,
                    payload: control & 1 != 0 ? Array(p[offset...]) : []))
        }
    }

    /// The PES timestamp (PTS) at the start of a payload.
    static func presentationTime(_ payload: [UInt8]) -> Int64? {
        guard payload.count > 13, Array(payload[0..<3]) == [0, 0, 1], payload[7] & 0x80 != 0
        else { return nil }
        let b = payload[9...13].map { Int64($0) }
        return (b[0] >> 1 & 7) << 30 | b[1] << 22 | (b[2] >> 1) << 15 | b[3] << 7 | b[4] >> 1
    }
}
