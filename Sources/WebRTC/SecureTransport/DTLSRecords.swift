/// The framing of DTLS 1.2 records in datagrams (RFC 6347 sect. 4.1):
///
///      0      1      2      3      4      5      10     11     12     13
///     +------+-------------+-------------+-----------+-------------+------
///     | type |   version   |    epoch    | sequence  |   length    | body
///     +------+-------------+-------------+-----------+-------------+------
enum DTLSRecords {
    static let headerBytes = 13
    /// 2^14 of plaintext and at most 2048 for the cipher, RFC 5246 sect. 6.2.3.
    static let bodyBytesMaximum = 16_384 + 2048
    /// Handshake messages of WebRTC are below 4 KB even with RSA-4096; OpenSSL aborts the
    /// handshake over 16 KB, so longer ones must not reach it.
    static let handshakeBytesMaximum = 16_384

    /// The records of a datagram to pass to OpenSSL. The others are dropped, so that a stray or
    /// damaged datagram cannot end a handshake: OpenSSL answers unencrypted nonsense of known types
    /// with a fatal alert.
    ///
    /// - Parameters:
    ///   - epochs: the epochs that may be in use now. OpenSSL would store records of a later epoch
    ///     unauthenticated.
    ///   - encryptedMinimum: the body size of an empty encrypted record. OpenSSL ends the
    ///     connection over a shorter one, which it should ignore (RFC 6347 sect. 4.1.2.7).
    static func screen(
        _ datagram: [UInt8], epochs: ClosedRange<UInt16>, encryptedMinimum: Int
    ) -> [Range<Int>] {
        var kept: [Range<Int>] = []
        var offset = 0
        while offset + headerBytes <= datagram.count {
            let bodyCount = Int(uint16(datagram, offset + 11))
            let body = (offset + headerBytes)..<(offset + headerBytes + bodyCount)
            guard body.upperBound <= datagram.count else { break }
            if isAcceptable(
                datagram, header: offset, body: body, epochs: epochs,
                encryptedMinimum: encryptedMinimum)
            {
                kept.append(offset..<body.upperBound)
            }
            offset = body.upperBound
        }
        return kept
    }

    /// Splits OpenSSL's output, a stream of records, into datagrams: as many whole records as fit
    /// in `maximum`, at least one.
    static func datagrams(from stream: [UInt8], maximum: Int) -> [[UInt8]] {
        if stream.isEmpty { return [] }
        if stream.count <= maximum { return [stream] }
        var result: [[UInt8]] = []
        var start = 0
        var end = 0
        while end + headerBytes <= stream.count {
            let next = end + headerBytes + Int(uint16(stream, end + 11))
            guard next <= stream.count else { break }
            if next - start > maximum, end > start {
                result.append(Array(stream[start..<end]))
                start = end
            }
            end = next
        }
        if end > start { result.append(Array(stream[start..<end])) }
        return result
    }

    private static func isAcceptable(
        _ bytes: [UInt8], header: Int, body: Range<Int>, epochs: ClosedRange<UInt16>,
        encryptedMinimum: Int
    ) -> Bool {
        let epoch = uint16(bytes, header + 3)
        let isEncrypted = epoch > 0
        guard bytes[header + 1] == 0xFE, epochs.contains(epoch), body.count <= bodyBytesMaximum,
            body.count >= (isEncrypted ? encryptedMinimum : 1)
        else { return false }
        switch bytes[header] {
        case 20:  // change_cipher_spec
            return isEncrypted || (body.count == 1 && bytes[body.lowerBound] == 1)
        case 21:  // alert
            return isEncrypted || (body.count == 2 && (1...2).contains(bytes[body.lowerBound]))
        case 22:  // handshake
            return isEncrypted || holdsHandshakeFragments(bytes, body)
        case 23:  // application_data
            return isEncrypted
        default:
            return false
        }
    }

    /// RFC 6347 sect. 4.2.2: type, length (3), message sequence (2), fragment offset (3) and
    /// length (3), fragment.
    private static func holdsHandshakeFragments(_ bytes: [UInt8], _ body: Range<Int>) -> Bool {
        var offset = body.lowerBound
        while offset < body.upperBound {
            guard offset + 12 <= body.upperBound else { return false }
            let length = uint24(bytes, offset + 1)
            let fragmentOffset = uint24(bytes, offset + 6)
            let fragmentLength = uint24(bytes, offset + 9)
            guard length <= handshakeBytesMaximum, fragmentOffset + fragmentLength <= length,
                offset + 12 + fragmentLength <= body.upperBound
            else { return false }
            offset += 12 + fragmentLength
        }
        return true
    }

    private static func uint16(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    private static func uint24(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
    }
}
