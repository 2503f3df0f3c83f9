/// Validates an SCTP packet's framing before usrsctp sees it.
///
/// usrsctp 0.9.5 loops forever, with the process-wide lock held, on an INIT to an established
/// association whose chunk length ends one or two bytes after the last parameter. So every length
/// must be exact here, and only the chunks that data channels use may pass:
///
///     packet = common header (12) | chunk | chunk | …
///     chunk  = type (1) | flags (1) | length (2) | value | padding to 4
enum PacketGate {
    private static let headerBytes = 12
    private static let packetBytesMaximum = 65_535

    /// The accepted chunk types, and the least length of each (RFC 9260, 3758, 6525).
    private static func lengthMinimum(ofChunk type: UInt8) -> Int? {
        switch type {
        case 0: 17  // DATA, with at least one byte of it: RFC 9260 sect. 3.3.1
        case 1, 2: 20  // INIT, INIT ACK
        case 3: 16  // SACK
        case 4, 5: 4  // HEARTBEAT, HEARTBEAT ACK
        case 6: 4  // ABORT
        case 7: 8  // SHUTDOWN
        case 8: 4  // SHUTDOWN ACK
        case 9: 4  // ERROR
        case 10: 4  // COOKIE ECHO
        case 11: 4  // COOKIE ACK
        case 14: 4  // SHUTDOWN COMPLETE
        case 130: 4  // RE-CONFIG
        case 192: 8  // FORWARD TSN
        default: nil
        }
    }

    static func accepts(_ packet: [UInt8]) -> Bool {
        guard packet.count >= headerBytes + 4, packet.count <= packetBytesMaximum else {
            return false
        }
        var offset = headerBytes
        while offset < packet.count {
            guard offset + 4 <= packet.count else { return false }
            let length = uint16(packet, offset + 2)
            let end = offset + length
            guard let minimum = lengthMinimum(ofChunk: packet[offset]), length >= minimum,
                end <= packet.count, isWellFormed(packet, offset..<end)
            else { return false }
            let isInitiation = packet[offset] == 1 || packet[offset] == 2
            if isInitiation, offset != headerBytes || padded(end) < packet.count { return false }
            offset = padded(end)
        }
        return true
    }

    /// INIT is alone in its packet (checked above), so its type is at a fixed offset.
    static func isInitiation(_ packet: [UInt8]) -> Bool {
        packet.count > headerBytes && packet[headerBytes] == 1
    }

    private static func isWellFormed(_ packet: [UInt8], _ chunk: Range<Int>) -> Bool {
        let start = chunk.lowerBound
        switch packet[start] {
        case 1, 2:
            return holdsParameters(packet, (start + 20)..<chunk.upperBound)
        case 3:
            let blocks = uint16(packet, start + 12) + uint16(packet, start + 14)
            return chunk.count >= 16 + 4 * blocks
        case 4, 5, 6, 9, 130:
            return holdsParameters(packet, (start + 4)..<chunk.upperBound)
        default:
            return true
        }
    }

    /// Type, length, value: each at least four bytes long and inside the chunk.
    private static func holdsParameters(_ packet: [UInt8], _ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard offset + 4 <= range.upperBound else { return false }
            let length = uint16(packet, offset + 2)
            guard length >= 4, offset + length <= range.upperBound else { return false }
            offset = padded(offset + length)
        }
        return true
    }

    private static func padded(_ offset: Int) -> Int { (offset + 3) & ~3 }

    private static func uint16(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }
}
