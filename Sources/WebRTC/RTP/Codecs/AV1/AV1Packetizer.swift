/// Splits AV1 temporal units in the low-overhead format. AV1 RTP specification sect. 4, 5.
public struct AV1Packetizer: Packetizer {
    /// The most elements that the aggregation header can count, which saves the last one's length.
    private static let countedElementsMaximum = 3
    /// Bytes that an element's length may take within one packet.
    private static let lengthBytes = 2

    private let payloadBytesMaximum: Int

    /// - Parameter mtu: bytes of the UDP payload, 100 ... 16000.
    public init(mtu: Int = 1200) {
        precondition(mtu <= 16_000, "an element's length is reckoned with two bytes")
        payloadBytesMaximum = PacketBudget.payloadBytes(mtu: mtu)
    }

    public mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)] {
        guard let elements = Self.elements(of: data), !elements.isEmpty else { return [] }
        var packets: [Packet] = []
        var packet = Packet()
        for element in elements {
            var rest = element[...]
            while !rest.isEmpty {
                let room = payloadBytesMaximum - packet.bytes - Self.lengthBytes
                guard room > 0 else {
                    packets.append(packet)
                    packet = Packet()
                    packet.header.continuesPrevious = rest.count < element.count
                    packets[packets.count - 1].header.continuesInNext =
                        packet.header.continuesPrevious
                    continue
                }
                packet.elements.append(rest.prefix(room))
                packet.bytes += min(room, rest.count) + Self.lengthBytes
                rest = rest.dropFirst(room)
            }
        }
        packets.append(packet)
        packets[0].header.startsSequence = isKeyframe
        return packets.enumerated().map { ($1.serialized(), $0 == packets.count - 1) }
    }

    private struct Packet {
        var header = AV1AggregationHeader()
        var elements: [ArraySlice<UInt8>] = []
        var bytes = AV1AggregationHeader.bytes

        func serialized() -> [UInt8] {
            var header = header
            let isCounted = elements.count <= AV1Packetizer.countedElementsMaximum
            header.elementCount = isCounted ? elements.count : 0
            var payload = [header.byte]
            payload.reserveCapacity(bytes)
            for (index, element) in elements.enumerated() {
                if !isCounted || index < elements.count - 1 {
                    AV1OpenBitstreamUnit.appendLEB128(element.count, to: &payload)
                }
                payload.append(contentsOf: element)
            }
            return payload
        }
    }

    /// The units sent by RTP, without sizes; nil if the bytes cannot be parsed.
    private static func elements(of data: [UInt8]) -> [[UInt8]]? {
        var rest = data[...]
        var elements: [[UInt8]] = []
        while !rest.isEmpty {
            guard let unit = AV1OpenBitstreamUnit(from: &rest) else { return nil }
            switch unit.kind {
            case AV1OpenBitstreamUnit.Kind.temporalDelimiter,
                AV1OpenBitstreamUnit.Kind.tileList, AV1OpenBitstreamUnit.Kind.padding:
                continue
            default:
                elements.append(unit.withoutSize)
            }
        }
        return elements
    }
}
