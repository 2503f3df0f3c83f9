public import MediaKernel

/// A STUN attribute that ICE uses; others are kept as bytes. RFC 8489 sect. 14, RFC 8445 sect.
/// 16.1. MESSAGE-INTEGRITY and FINGERPRINT are excluded: the message writes and checks them itself.
public enum STUNAttribute: Hashable, Sendable {
    case mappedAddress(TransportAddress)
    case xorMappedAddress(TransportAddress)
    case username(String)
    case software(String)
    case priority(UInt32)
    case useCandidate
    /// The tie-breaker of the controlled side.
    case iceControlled(UInt64)
    case iceControlling(UInt64)
    /// 300…699.
    case errorCode(Int, reason: String)
    case unknownAttributes([UInt16])
    case other(type: UInt16, value: [UInt8])

    enum Code {
        static let mappedAddress: UInt16 = 0x0001
        static let username: UInt16 = 0x0006
        static let messageIntegrity: UInt16 = 0x0008
        static let errorCode: UInt16 = 0x0009
        static let unknownAttributes: UInt16 = 0x000A
        static let xorMappedAddress: UInt16 = 0x0020
        static let priority: UInt16 = 0x0024
        static let useCandidate: UInt16 = 0x0025
        static let software: UInt16 = 0x8022
        static let fingerprint: UInt16 = 0x8028
        static let iceControlled: UInt16 = 0x8029
        static let iceControlling: UInt16 = 0x802A
    }

    var type: UInt16 {
        switch self {
        case .mappedAddress: return Code.mappedAddress
        case .xorMappedAddress: return Code.xorMappedAddress
        case .username: return Code.username
        case .software: return Code.software
        case .priority: return Code.priority
        case .useCandidate: return Code.useCandidate
        case .iceControlled: return Code.iceControlled
        case .iceControlling: return Code.iceControlling
        case .errorCode: return Code.errorCode
        case .unknownAttributes: return Code.unknownAttributes
        case .other(let type, _): return type
        }
    }

    /// A receiver must refuse a request with an unknown attribute below 0x8000. RFC 8489 sect. 14.
    var isUnknownButRequired: Bool {
        guard case .other(let type, _) = self else { return false }
        return type < 0x8000
    }

    init(type: UInt16, value: ArraySlice<UInt8>, transaction: STUNTransactionID)
        throws(ICEError)
    {
        do {
            self = try Self.parse(type: type, value: value, transaction: transaction)
        } catch {
            throw .malformedMessage(reason: "attribute \(type) is too short")
        }
    }

    private static func parse(
        type: UInt16, value: ArraySlice<UInt8>, transaction: STUNTransactionID
    ) throws(TruncatedInput) -> STUNAttribute {
        var reader = ByteReader(value)
        switch type {
        case Code.mappedAddress:
            guard let address = try address(&reader, mask: nil) else { break }
            return .mappedAddress(address)
        case Code.xorMappedAddress:
            guard let address = try address(&reader, mask: transaction) else { break }
            return .xorMappedAddress(address)
        case Code.username:
            guard let text = String(validating: value, as: UTF8.self) else { break }
            return .username(text)
        case Code.software:
            return .software(String(decoding: value, as: UTF8.self))
        case Code.priority:
            return .priority(try reader.readUInt32())
        case Code.useCandidate:
            return .useCandidate
        case Code.iceControlled:
            return .iceControlled(try reader.readUInt64())
        case Code.iceControlling:
            return .iceControlling(try reader.readUInt64())
        case Code.errorCode:
            try reader.skip(2)
            let hundreds = Int(try reader.readUInt8() & 0x07)
            let rest = Int(try reader.readUInt8())
            let reason = String(decoding: reader.readRest(), as: UTF8.self)
            return .errorCode(hundreds * 100 + rest, reason: reason)
        case Code.unknownAttributes:
            var types: [UInt16] = []
            while reader.remaining >= 2 { types.append(try reader.readUInt16()) }
            return .unknownAttributes(types)
        default: break
        }
        return .other(type: type, value: Array(value))
    }

    ///     0                   1                   2                   3
    ///     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
    ///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    ///    |0 0 0 0 0 0 0 0|    Family     |         (X-)Port              |
    ///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    ///    |                (X-)Address (4 or 16 bytes)
    ///    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    private static func address(
        _ reader: inout ByteReader, mask: STUNTransactionID?
    ) throws(TruncatedInput) -> TransportAddress? {
        try reader.skip(1)
        let family = try reader.readUInt8()
        guard family == 1 || family == 2 else { return nil }
        var port = try reader.readUInt16()
        var ip = Array(try reader.readBytes(family == 1 ? 4 : 16))
        if let mask {
            port ^= UInt16(STUNMessage.magicCookie >> 16)
            ip = masked(ip, by: mask)
        }
        return TransportAddress(ip: ip, port: port)
    }

    /// The mask is the magic cookie followed by the transaction id. RFC 8489 sect. 14.2.
    private static func masked(_ ip: [UInt8], by transaction: STUNTransactionID) -> [UInt8] {
        var mask = ByteWriter(reservingCapacity: 16)
        mask.write(STUNMessage.magicCookie)
        mask.write(transaction.bytes)
        return zip(ip, mask.bytes).map { $0 ^ $1 }
    }

    func write(to writer: inout ByteWriter, transaction: STUNTransactionID) {
        switch self {
        case .mappedAddress(let address):
            Self.write(ip: address.ip, port: address.port, to: &writer)
        case .xorMappedAddress(let address):
            Self.write(
                ip: Self.masked(address.ip, by: transaction),
                port: address.port ^ UInt16(STUNMessage.magicCookie >> 16), to: &writer)
        case .username(let text), .software(let text):
            writer.write(text.utf8)
        case .priority(let priority):
            writer.write(priority)
        case .useCandidate:
            break
        case .iceControlled(let tieBreaker), .iceControlling(let tieBreaker):
            writer.write(tieBreaker)
        case .errorCode(let code, let reason):
            writer.write(UInt16(0))
            writer.write(UInt8(clamping: code / 100))
            writer.write(UInt8(clamping: code % 100))
            writer.write(reason.utf8)
        case .unknownAttributes(let types):
            for type in types { writer.write(type) }
        case .other(_, let value):
            writer.write(value)
        }
    }

    private static func write(ip: [UInt8], port: UInt16, to writer: inout ByteWriter) {
        writer.write(UInt8(0))
        writer.write(UInt8(ip.count == 4 ? 1 : 2))
        writer.write(port)
        writer.write(ip)
    }
}
