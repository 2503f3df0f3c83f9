public import MediaKernel

/// The 96 bits that match a response to its request.
public struct STUNTransactionID: Hashable, Sendable {
    /// Twelve bytes.
    public let bytes: [UInt8]

    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 12 else { return nil }
        self.bytes = bytes
    }

    public static func random(using generator: inout some RandomNumberGenerator)
        -> STUNTransactionID
    {
        var writer = ByteWriter(reservingCapacity: 12)
        writer.write(generator.next() as UInt64)
        writer.write(UInt32(truncatingIfNeeded: generator.next()))
        return STUNTransactionID(verbatim: writer.bytes)
    }

    fileprivate init(verbatim bytes: [UInt8]) { self.bytes = bytes }

    private static let fragmentBytes = 8

    /// An id for a request of the agent with this username fragment. The id begins with the
    /// fragment, since a response has no USERNAME by which a shared socket could find the agent.
    /// Ids stay hard to guess for anyone who has not seen the descriptions.
    static func random(
        for fragment: String, using generator: inout some RandomNumberGenerator
    ) -> STUNTransactionID {
        var writer = ByteWriter(reservingCapacity: 12)
        let bytes = fragment.utf8.prefix(fragmentBytes)
        writer.write(bytes)
        for _ in bytes.count..<fragmentBytes { writer.write(UInt8(0)) }
        writer.write(UInt32(truncatingIfNeeded: generator.next()))
        return STUNTransactionID(verbatim: writer.bytes)
    }

    /// The fragment, if the id has one.
    var fragment: String? {
        String(validating: bytes.prefix(Self.fragmentBytes).prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// A STUN message with short-term credentials, as ICE uses it. RFC 8489.
///
///     0                   1                   2                   3
///     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///    |0 0|  Type: class and method   |   Length after this header    |
///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///    |                 Magic cookie 0x2112A442                       |
///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///    |                 Transaction id (12 bytes)                     |
///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
public struct STUNMessage: Hashable, Sendable {
    /// RFC 8489 sect. 5: bits 4 and 8 of the type.
    public enum Class: UInt16, Hashable, Sendable {
        case request = 0x0000
        case indication = 0x0010
        case success = 0x0100
        case error = 0x0110
    }

    /// The bytes covered by a received MESSAGE-INTEGRITY, and its value.
    private struct Proof: Hashable, Sendable {
        /// With the length field as the sender computed it. RFC 8489 sect. 14.5.
        let covered: [UInt8]
        let tag: [UInt8]
    }

    static let magicCookie: UInt32 = 0x2112_A442
    static let headerBytes = 20
    private static let integrityBytes = 20
    /// FINGERPRINT is the CRC under this mask ("STUN"). RFC 8489 sect. 14.7.
    private static let fingerprintMask: UInt32 = 0x5354_554E
    /// The only method of ICE. RFC 8489 sect. 18.1.
    public static let bindingMethod: UInt16 = 0x0001

    public var `class`: Class
    public var method: UInt16
    public var transaction: STUNTransactionID
    public var attributes: [STUNAttribute]
    private var proof: Proof?

    public init(
        _ class: Class, method: UInt16 = STUNMessage.bindingMethod,
        transaction: STUNTransactionID, attributes: [STUNAttribute] = []
    ) {
        self.class = `class`
        self.method = method
        self.transaction = transaction
        self.attributes = attributes
    }

    // MARK: Reading

    /// Whether the datagram is STUN rather than DTLS or RTP, by its first byte (RFC 7983) and the
    /// cookie. Cheap enough for every datagram.
    public static func isSTUN(_ datagram: [UInt8]) -> Bool {
        datagram.count >= headerBytes && datagram[0] < 4 && datagram[4] == 0x21
            && datagram[5] == 0x12 && datagram[6] == 0xA4 && datagram[7] == 0x42
    }

    /// Whether the datagram answers a request, with success or an error. RFC 8489 sect. 5.
    public static func isAnswer(_ datagram: [UInt8]) -> Bool {
        isSTUN(datagram) && datagram[0] & 1 != 0
    }

    /// Our username fragment in a received message, by which a shared socket finds the agent: a
    /// request has it in USERNAME, `<our fragment>:<theirs>`, a response to a lite agent in its
    /// transaction id. An indication has none. Nothing is verified here.
    public static func peekFragment(_ datagram: [UInt8]) -> String? {
        guard isSTUN(datagram), let message = try? STUNMessage(parsing: datagram) else {
            return nil
        }
        switch message.class {
        case .request: return message.username.flatMap(halves)?.local
        case .success, .error: return message.transaction.fragment
        case .indication: return nil
        }
    }

    static func halves(ofUsername username: String) -> (local: String, remote: String)? {
        guard let colon = username.firstIndex(of: ":") else { return nil }
        return (
            String(username[..<colon]), String(username[username.index(after: colon)...])
        )
    }

    /// Parses a whole datagram. FINGERPRINT is checked if present; MESSAGE-INTEGRITY is left to
    /// `isAuthentic`, because the password depends on USERNAME.
    ///
    /// - Throws: `malformedMessage`, `fingerprintMismatch`.
    public init(parsing datagram: [UInt8]) throws(ICEError) {
        guard datagram.count <= ICELimits.messageBytesMaximum else {
            throw .malformedMessage(reason: "\(datagram.count) bytes are too many")
        }
        guard Self.isSTUN(datagram) else {
            throw .malformedMessage(reason: "not a STUN header")
        }
        let type = UInt16(datagram[0]) << 8 | UInt16(datagram[1])
        let length = Int(datagram[2]) << 8 | Int(datagram[3])
        guard length == datagram.count - Self.headerBytes, length.isMultiple(of: 4) else {
            throw .malformedMessage(reason: "the length field does not fit the datagram")
        }
        guard let `class` = Class(rawValue: type & 0x0110) else {
            throw .malformedMessage(reason: "no such class")
        }
        self.class = `class`
        method = type & 0x000F | (type & 0x00E0) >> 1 | (type & 0x3E00) >> 2
        transaction = STUNTransactionID(verbatim: Array(datagram[8..<20]))
        attributes = []
        do {
            try parseAttributes(datagram)
        } catch let error as ICEError {
            throw error
        } catch {
            throw .malformedMessage(reason: "an attribute is longer than the message")
        }
    }

    private mutating func parseAttributes(_ datagram: [UInt8]) throws {
        var reader = ByteReader(datagram[Self.headerBytes...])
        while !reader.isAtEnd {
            let start = Self.headerBytes + reader.offset
            let type = try reader.readUInt16()
            let length = Int(try reader.readUInt16())
            let value = try reader.readBytes(length)
            try reader.skip((4 - length % 4) % 4)
            switch type {
            case STUNAttribute.Code.messageIntegrity where proof == nil:
                guard length == Self.integrityBytes else {
                    throw ICEError.malformedMessage(reason: "MESSAGE-INTEGRITY has 20 bytes")
                }
                let covered = Self.header(
                    of: datagram[..<start], length: start - Self.headerBytes + 24)
                proof = Proof(covered: covered, tag: Array(value))
            case STUNAttribute.Code.fingerprint:
                let covered = Self.header(
                    of: datagram[..<start], length: start - Self.headerBytes + 8)
                var value = ByteReader(value)
                guard try value.readUInt32() == CRC32.checksum(covered) ^ Self.fingerprintMask
                else { throw ICEError.fingerprintMismatch }
                // It is the last attribute; later bytes are not the sender's.
                return
            default:
                // Anyone on the path could have added attributes after MESSAGE-INTEGRITY: ignore
                // them. RFC 8489 sect. 14.5.
                guard proof == nil else { continue }
                guard attributes.count < ICELimits.attributesPerMessageMaximum else {
                    throw ICEError.malformedMessage(reason: "too many attributes")
                }
                attributes.append(
                    try STUNAttribute(type: type, value: value, transaction: transaction))
            }
        }
    }

    /// The header bytes with another length.
    private static func header(of bytes: ArraySlice<UInt8>, length: Int) -> [UInt8] {
        var bytes = Array(bytes)
        bytes[2] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[3] = UInt8(truncatingIfNeeded: length)
        return bytes
    }

    /// Whether the received message carries MESSAGE-INTEGRITY at all.
    public var hasIntegrity: Bool { proof != nil }

    /// Whether the sender knew the password. Takes the same time for every wrong value. RFC 8489
    /// sect. 9.1.
    public func isAuthentic(password: String, by authenticator: any MessageAuthenticator) -> Bool {
        guard let proof else { return false }
        let expected = authenticator.hmacSHA1(key: Array(password.utf8), message: proof.covered)
        guard expected.count == proof.tag.count else { return false }
        return zip(expected, proof.tag).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // MARK: Writing

    /// The datagram to send: the attributes, MESSAGE-INTEGRITY if there is a password, and
    /// FINGERPRINT.
    public func serialized(
        password: String?, by authenticator: any MessageAuthenticator
    ) -> [UInt8] {
        serialized(password: password, by: authenticator, paddingByte: 0)
    }

    /// RFC 5769's vectors pad with spaces, which any receiver must ignore.
    func serialized(
        password: String?, by authenticator: any MessageAuthenticator, paddingByte: UInt8
    ) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 128)
        let bits = method & 0x000F | (method & 0x0070) << 1 | (method & 0x0F80) << 2
        writer.write(bits | `class`.rawValue)
        writer.write(UInt16(0))
        writer.write(Self.magicCookie)
        writer.write(transaction.bytes)
        for attribute in attributes {
            writer.write(attribute.type)
            let lengthOffset = writer.count
            writer.write(UInt16(0))
            attribute.write(to: &writer, transaction: transaction)
            writer.patch(UInt16(writer.count - lengthOffset - 2), at: lengthOffset)
            while !writer.count.isMultiple(of: 4) { writer.write(paddingByte) }
        }
        if let password {
            writer.patch(UInt16(writer.count - Self.headerBytes + 24), at: 2)
            let tag = authenticator.hmacSHA1(key: Array(password.utf8), message: writer.bytes)
            writer.write(STUNAttribute.Code.messageIntegrity)
            writer.write(UInt16(Self.integrityBytes))
            writer.write(tag)
        }
        writer.patch(UInt16(writer.count - Self.headerBytes + 8), at: 2)
        let checksum = CRC32.checksum(writer.bytes) ^ Self.fingerprintMask
        writer.write(STUNAttribute.Code.fingerprint)
        writer.write(UInt16(4))
        writer.write(checksum)
        return writer.bytes
    }
}

extension STUNMessage {
    public var username: String? {
        attributes.lazy.compactMap { if case .username(let name) = $0 { name } else { nil } }.first
    }

    /// The source address of the request, as seen by the other side.
    public var mappedAddress: TransportAddress? {
        let xor = attributes.lazy.compactMap { attribute -> TransportAddress? in
            if case .xorMappedAddress(let address) = attribute { address } else { nil }
        }.first
        return xor
            ?? attributes.lazy.compactMap { attribute -> TransportAddress? in
                if case .mappedAddress(let address) = attribute { address } else { nil }
            }.first
    }

    public var priority: UInt32? {
        attributes.lazy.compactMap { if case .priority(let value) = $0 { value } else { nil } }
            .first
    }

    public var usesCandidate: Bool { attributes.contains(.useCandidate) }

    public var errorCode: Int? {
        attributes.lazy.compactMap { if case .errorCode(let code, _) = $0 { code } else { nil } }
            .first
    }

    /// The tie-breaker of a sender that believes itself controlled.
    var controlledTieBreaker: UInt64? {
        attributes.lazy.compactMap { if case .iceControlled(let v) = $0 { v } else { nil } }.first
    }

    /// The tie-breaker of a sender that believes itself controlling.
    var controllingTieBreaker: UInt64? {
        attributes.lazy.compactMap { if case .iceControlling(let v) = $0 { v } else { nil } }.first
    }
}
