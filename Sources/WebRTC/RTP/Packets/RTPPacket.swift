/// One RTP packet. RFC 3550 sect. 5.1.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// |                           timestamp                           |
/// |                             SSRC                              |
/// |                     CSRC (0 ... 15 of them)                   |
/// |    X: profile of extension    |   X: length in 32-bit words   |
/// |    X: header extension ...    |   payload ...   P: padding    |
/// ```
///
/// A parsed packet shares the datagram's storage: nothing is copied until it is serialised.
public struct RTPPacket: Hashable, Sendable {
    public var marker: Bool
    public var payloadType: PayloadType
    public var sequenceNumber: SequenceNumber
    /// Ticks of the codec's clock, from a random origin, modulo 2^32.
    public var timestamp: UInt32
    public var ssrc: SSRC
    /// Contributing sources; at most 15 are written.
    public var csrcs: [UInt32]
    public var extensions: HeaderExtensions
    /// The codec's bytes, without padding. Empty in a padding-only packet.
    public var payload: ArraySlice<UInt8>
    /// Bytes of padding after the payload, 0 ... 255, the count byte included.
    public var paddingLength: Int

    /// Bytes of the fixed header.
    public static let headerBytesMinimum = 12
    /// The most spare bytes that a packet may have after it: libsrtp may write 148 there.
    public static let roomMaximum = 256
    /// The largest datagram UDP carries.
    public static let datagramBytesMaximum = 65_535

    public init(
        marker: Bool = false, payloadType: PayloadType, sequenceNumber: SequenceNumber,
        timestamp: UInt32, ssrc: SSRC, csrcs: [UInt32] = [],
        extensions: HeaderExtensions = HeaderExtensions(), payload: ArraySlice<UInt8>,
        paddingLength: Int = 0
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.csrcs = csrcs
        self.extensions = extensions
        self.payload = payload
        self.paddingLength = paddingLength
    }

    /// Parses a decrypted datagram.
    public init(parsing bytes: [UInt8]) throws(RTPError) {
        guard bytes.count >= Self.headerBytesMinimum else {
            throw .truncated(needed: Self.headerBytesMinimum, available: bytes.count)
        }
        guard bytes.count <= Self.datagramBytesMaximum else {
            throw .oversized(count: bytes.count, maximum: Self.datagramBytesMaximum)
        }
        guard bytes[0] >> 6 == 2 else { throw .unsupportedVersion(bytes[0] >> 6) }
        marker = bytes[1] & 0x80 != 0
        payloadType = PayloadType(bytes[1])
        sequenceNumber = SequenceNumber(bytes.uint16(at: 2))
        timestamp = bytes.uint32(at: 4)
        ssrc = SSRC(bytes.uint32(at: 8))

        var offset = Self.headerBytesMinimum
        let csrcCount = Int(bytes[0] & 0x0F)
        try Self.require(csrcCount * 4, at: offset, in: bytes)
        csrcs = csrcCount == 0 ? [] : (0..<csrcCount).map { bytes.uint32(at: 12 + $0 * 4) }
        offset += csrcCount * 4

        if bytes[0] & 0x10 != 0 {
            try Self.require(4, at: offset, in: bytes)
            let profile = bytes.uint16(at: offset)
            let length = Int(bytes.uint16(at: offset + 2)) * 4
            offset += 4
            try Self.require(length, at: offset, in: bytes)
            extensions = HeaderExtensions(
                profile: profile, block: bytes[offset..<(offset + length)])
            offset += length
        } else {
            extensions = HeaderExtensions()
        }

        var padding = 0
        if bytes[0] & 0x20 != 0 {
            padding = Int(bytes[bytes.count - 1])
            guard padding > 0, padding <= bytes.count - offset else {
                throw .invalidPadding(count: padding, available: bytes.count - offset)
            }
        }
        paddingLength = padding
        payload = bytes[offset..<(bytes.count - padding)]
    }

    private static func require(_ count: Int, at offset: Int, in bytes: [UInt8]) throws(RTPError) {
        guard bytes.count - offset >= count else {
            throw .truncated(needed: count, available: bytes.count - offset)
        }
    }

    /// The packet as it goes to SRTP. Padding is written only when `paddingLength` is above zero.
    ///
    /// - Parameters:
    ///   - numbered: an extension id, 1 ... 14, and the packet's transport-wide sequence number.
    ///     Written here because it differs each time the packet is sent.
    ///   - room: spare bytes after the packet for SRTP to fill, `roomMaximum` at most.
    public func serialized(
        numbered: (id: UInt8, number: TransportSequence)? = nil, room: Int = 0
    ) -> [UInt8] {
        precondition(room <= Self.roomMaximum, "no protection adds as much")
        let csrcCount = min(csrcs.count, 15)
        let padding = min(max(paddingLength, 0), 255)
        let hasExtensions = !extensions.isEmpty || numbered != nil
        let headerBytes =
            Self.headerBytesMinimum + csrcCount * 4 + extensions.serializedBytes(numbered: numbered)
        let flags: UInt8 = 0x80 | (padding > 0 ? 0x20 : 0) | (hasExtensions ? 0x10 : 0)
        let type = (marker ? 0x80 : 0) | payloadType.rawValue
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerBytes + payload.count + padding + Self.roomMaximum)
        // All at once: each append checks capacity and uniqueness of the storage, which takes
        // longer than writing a number.
        bytes.append(contentsOf: Self.zeros.prefix(headerBytes))
        while bytes.count < headerBytes { bytes.append(0) }
        bytes.withUnsafeMutableBytes { bytes in
            var writer = HeaderWriter(bytes)
            writer.write(
                UInt32(flags | UInt8(csrcCount)) << 24 | UInt32(type) << 16
                    | UInt32(sequenceNumber.rawValue))
            writer.write(timestamp)
            writer.write(ssrc.rawValue)
            for csrc in csrcs.prefix(csrcCount) { writer.write(csrc) }
            if hasExtensions { extensions.write(to: &writer, numbered: numbered) }
        }
        bytes.append(contentsOf: payload)
        if padding > 0 {
            bytes.append(contentsOf: Self.zeros.prefix(padding - 1))
            bytes.append(UInt8(padding))
        }
        if room > 0 { bytes.append(contentsOf: Self.zeros.prefix(room)) }
        return bytes
    }

    private static let zeros = [UInt8](repeating: 0, count: roomMaximum)
}

extension RTPPacket {
    /// Whether a datagram is RTCP rather than RTP, on a port that carries both. RFC 5761 sect. 4.
    public static func isRTCP(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && (64..<96).contains(bytes[1] & 0x7F)
    }
}
