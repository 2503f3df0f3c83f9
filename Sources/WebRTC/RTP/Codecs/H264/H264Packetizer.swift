/// Splits Annex B access units for packetization mode 1: small NAL units together in STAP-A, large
/// ones in FU-A. RFC 6184.
///
/// Drops access unit delimiters: the marker says the same.
public struct H264Packetizer: Packetizer {
    private let payloadBytesMaximum: Int

    /// - Parameter mtu: bytes of the UDP payload, at least 100.
    public init(mtu: Int = 1200) {
        payloadBytesMaximum = PacketBudget.payloadBytes(mtu: mtu)
    }

    public mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)] {
        let units = H264NALUnit.split(data).filter { unit in
            unit.first.map {
                H264NALUnit.kind(of: $0) != H264NALUnit.accessUnitDelimiter && unit.count > 1
            } ?? false
        }
        var payloads: [[UInt8]] = []
        var gathered: [ArraySlice<UInt8>] = []
        var gatheredBytes = 1
        func flush() {
            if gathered.count == 1 {
                payloads.append(Array(gathered[0]))
            } else if gathered.count > 1 {
                payloads.append(H264NALUnit.aggregate(gathered))
            }
            gathered = []
            gatheredBytes = 1
        }
        for unit in units {
            if gatheredBytes + unit.count + 2 > payloadBytesMaximum { flush() }
            if unit.count > payloadBytesMaximum {
                payloads += fragments(of: unit)
            } else {
                gathered.append(unit)
                gatheredBytes += unit.count + 2
            }
        }
        flush()
        return payloads.enumerated().map { ($1, $0 == payloads.count - 1) }
    }

    private func fragments(of unit: ArraySlice<UInt8>) -> [[UInt8]] {
        guard let header = unit.first else { return [] }
        let pieces = PacketBudget.balanced(unit.dropFirst(), maximum: payloadBytesMaximum - 2)
        return pieces.enumerated().map { index, piece in
            let start: UInt8 = index == 0 ? 0x80 : 0
            let end: UInt8 = index == pieces.count - 1 ? 0x40 : 0
            return [header & 0xE0 | H264NALUnit.fragmentation, start | end | header & 0x1F]
                + piece
        }
    }
}
