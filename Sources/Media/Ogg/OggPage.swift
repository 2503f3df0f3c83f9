/// Pages of an Ogg stream. RFC 3533 sect. 6.
struct OggPage {
    static let segmentsMaximum = 255

    enum Place: UInt8 {
        case first = 0x02
        case middle = 0x00
        case last = 0x04
    }

    /// - Parameters:
    ///   - packets: whole ones, of `segmentsMaximum` segments together at most.
    ///   - granule: the position after the last packet.
    static func bytes(
        _ packets: [[UInt8]], granule: Int64, serial: UInt32, number: UInt32, place: Place
    ) -> [UInt8] {
        var lacing: [UInt8] = []
        for packet in packets {
            lacing += repeatElement(255, count: packet.count / 255)
            lacing.append(UInt8(packet.count % 255))
        }
        var page: [UInt8] = Array("OggS".utf8) + [0, place.rawValue]
        func append<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { page += $0 }
        }
        append(granule)
        append(serial)
        append(number)
        let checksumAt = page.count
        append(UInt32(0))
        page.append(UInt8(lacing.count))
        page += lacing
        for packet in packets { page += packet }
        let checksum = OggChecksum.of(page)
        for index in 0..<4 {
            page[checksumAt + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index))
        }
        return page
    }

    static func segments(of packet: [UInt8]) -> Int { packet.count / 255 + 1 }
}

/// The CRC of a page: polynomial 04C11DB7, not reflected, from 0. RFC 3533 sect. 6, field 7.
enum OggChecksum {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.reduce(UInt32(0)) { remainder, byte in
                remainder << 8 ^ table[Int(UInt8(truncatingIfNeeded: remainder >> 24) ^ byte)]
            }
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { remainder, _ in
            remainder & 0x8000_0000 != 0 ? remainder << 1 ^ 0x04C1_1DB7 : remainder << 1
        }
    }
}
