import MediaKernel

/// DATA_CHANNEL_OPEN of the establishment protocol (RFC 8832 sect. 5.1):
///
///      0                   1                   2                   3
///     +---------------+---------------+-------------------------------+
///     |  type = 0x03  | channel type  |            priority           |
///     +---------------+---------------+-------------------------------+
///     |                    reliability parameter                      |
///     +-------------------------------+-------------------------------+
///     |         label length          |       protocol length         |
///     +-------------------------------+-------------------------------+
///     |  label, protocol: UTF-8                                       |
struct ChannelOpening: Hashable {
    /// Longer labels and protocols are refused in both directions; RFC 8832 allows 65 535.
    static let nameBytesMaximum = 256
    /// DATA_CHANNEL_ACK is this one byte.
    static let acknowledgement: [UInt8] = [0x02]

    private static let messageType: UInt8 = 0x03
    private static let unordered: UInt8 = 0x80
    /// "Normal" in RFC 8831 sect. 6.4, as browsers send.
    private static let normalPriority: UInt16 = 256

    var label: String
    var `protocol`: String
    var isOrdered: Bool
    var reliability: ChannelReliability

    init(
        label: String, protocol: String, isOrdered: Bool, reliability: ChannelReliability
    ) throws(DataChannelError) {
        for name in [label, `protocol`] where name.utf8.count > Self.nameBytesMaximum {
            throw .nameTooLong(bytes: name.utf8.count, maximum: Self.nameBytesMaximum)
        }
        self.label = label
        self.protocol = `protocol`
        self.isOrdered = isOrdered
        self.reliability = reliability
    }

    /// Nil if the bytes are not an OPEN that we accept.
    init?(parsing bytes: [UInt8]) {
        guard let parsed = try? Self.parse(bytes) else { return nil }
        self = parsed
    }

    private static func parse(_ bytes: [UInt8]) throws -> ChannelOpening? {
        var reader = ByteReader(bytes)
        guard try reader.readUInt8() == messageType else { return nil }
        let type = try reader.readUInt8()
        _ = try reader.readUInt16()  // priority: all our channels are equal
        let parameter = try reader.readUInt32()
        let labelCount = Int(try reader.readUInt16())
        let protocolCount = Int(try reader.readUInt16())
        guard let label = String(validating: try reader.readBytes(labelCount), as: UTF8.self),
            let name = String(validating: try reader.readBytes(protocolCount), as: UTF8.self),
            reader.isAtEnd
        else { return nil }
        let reliability: ChannelReliability
        switch type & ~unordered {
        case 0: reliability = .reliable
        case 1: reliability = .retransmissions(parameter)
        case 2: reliability = .lifetime(milliseconds: parameter)
        default: return nil
        }
        return try ChannelOpening(
            label: label, protocol: name, isOrdered: type & unordered == 0,
            reliability: reliability)
    }

    func serialized() -> [UInt8] {
        let (type, parameter): (UInt8, UInt32) =
            switch reliability {
            case .reliable: (0, 0)
            case .retransmissions(let count): (1, count)
            case .lifetime(let milliseconds): (2, milliseconds)
            }
        var writer = ByteWriter(reservingCapacity: 12 + label.utf8.count + `protocol`.utf8.count)
        writer.write(Self.messageType)
        writer.write(isOrdered ? type : type | Self.unordered)
        writer.write(Self.normalPriority)
        writer.write(parameter)
        writer.write(UInt16(label.utf8.count))
        writer.write(UInt16(`protocol`.utf8.count))
        writer.write(label.utf8)
        writer.write(`protocol`.utf8)
        return writer.bytes
    }
}

/// The payload protocol identifiers of RFC 8831 sect. 8.
enum PayloadProtocol: UInt32 {
    case establishment = 50
    case string = 51
    case binary = 53
    /// SCTP cannot carry empty messages: a single byte is sent instead, which the receiver ignores.
    case emptyString = 56
    case emptyBinary = 57
}
