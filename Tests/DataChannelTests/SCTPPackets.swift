import CUsrSCTP
import MediaKernel

/// Operations on SCTP packets as bytes: a common header of 12 (the checksum is its last 4), then
/// chunks.
enum SCTPPackets {
    /// Sets the correct CRC32c, which usrsctp returns in the packet's byte order.
    static func seal(_ packet: [UInt8]) -> [UInt8] {
        guard packet.count >= 12 else { return packet }
        var packet = packet
        packet.replaceSubrange(8..<12, with: [0, 0, 0, 0])
        let sum = packet.withUnsafeMutableBytes { usrsctp_crc32c($0.baseAddress, $0.count) }
        withUnsafeBytes(of: sum) { packet.replaceSubrange(8..<12, with: $0) }
        return packet
    }

    /// The first chunk's type.
    static func chunkType(_ packet: [UInt8]) -> UInt8? { chunkTypes(packet).first }

    static func chunkTypes(_ packet: [UInt8]) -> [UInt8] {
        var types: [UInt8] = []
        var offset = 12
        while offset + 4 <= packet.count {
            types.append(packet[offset])
            let length = Int(packet[offset + 2]) << 8 | Int(packet[offset + 3])
            offset += max(4, (length + 3) & ~3)
        }
        return types
    }

    /// An INIT whose chunk length ends two stray bytes after its last parameter, so that the padded
    /// rest reads as a parameter of length 0: usrsctp 0.9.5 never returns from it.
    static func hanging(_ initiation: [UInt8]) -> [UInt8] {
        var packet = initiation + [0xC0, 0, 0, 0]
        let length = packet.count - 12 - 2
        packet[14] = UInt8(length >> 8)
        packet[15] = UInt8(length & 255)
        return seal(packet)
    }

    static func mutate(
        _ packet: [UInt8], corpus: [[UInt8]], using random: inout SeededRandom
    ) -> [UInt8] {
        var packet = packet
        for _ in 0..<Int.random(in: 1...4, using: &random) where packet.count > 13 {
            let index = Int.random(in: 12..<packet.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: packet[index] = UInt8.random(in: 0...255, using: &random)
            case 1: packet[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2 where packet.count > 20:
                packet.removeLast(Int.random(in: 1..<(packet.count - 16), using: &random))
            case 3: packet += corpus.randomElement(using: &random).map { $0[12...] } ?? []
            default: packet[index] = [0, 255, 127, 128, 4, 3].randomElement(using: &random) ?? 0
            }
        }
        while packet.count % 4 != 0 { packet.append(0) }
        if packet.count > 1400 { packet.removeLast(packet.count - 1400) }
        return seal(packet)
    }
}
