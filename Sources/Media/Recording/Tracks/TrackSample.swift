import Ogg

/// A frame in the form in which files hold it, and the format if it states one.
struct TrackSample {
    var bytes: [UInt8]
    /// Nil for a frame that says nothing about its format, or too little.
    var configuration: [UInt8]?

    /// Nil for a frame without content.
    init?(_ data: [UInt8], of codec: TrackCodec, isKeyframe: Bool) {
        switch codec {
        case .opus:
            guard OpusPacket.samples(data) != nil else { return nil }
            bytes = data
            configuration = OpusPacket.head(channels: OpusPacket.isStereo(data) ? 2 : 1)
        case .vp8, .vp9:
            bytes = data
            configuration = isKeyframe ? [] : nil
        case .h264:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(data.count + 16)
            let unit = AccessUnit(annexB: data, from: 0, appendingTo: &bytes)
            self.bytes = bytes
            if let sequence = unit.sequenceParameters, let picture = unit.pictureParameters {
                configuration =
                    ParameterSets(sequence: sequence, picture: picture)?.decoderConfiguration
            }
        case .av1:
            let unit = AV1Unit(data)
            bytes = unit.bytes
            configuration = unit.sequenceHeader.flatMap(AV1Unit.configuration)
        }
        guard !bytes.isEmpty else { return nil }
    }
}

/// A temporal unit of AV1 without what files do not hold.
struct AV1Unit {
    /// Without delimiters and padding.
    private(set) var bytes: [UInt8] = []
    /// The whole OBU.
    private(set) var sequenceHeader: [UInt8]?

    private static let sequenceHeaderType = 1
    private static let delimiterType = 2
    private static let paddingType = 15

    /// - Parameter data: in the low-overhead format. AV1 sect. 5.3.
    init(_ data: [UInt8]) {
        var position = 0
        while position < data.count {
            let head = data[position]
            let type = Int(head >> 3 & 0x0F)
            var content = position + (head & 0x04 != 0 ? 2 : 1)
            var end = data.count
            if head & 0x02 != 0 {
                // leb128
                var length = 0
                var shift = 0
                while content < data.count, shift < 35 {
                    let byte = data[content]
                    content += 1
                    length |= Int(byte & 0x7F) << shift
                    shift += 7
                    if byte & 0x80 == 0 { break }
                }
                end = min(data.count, content + length)
            }
            guard end > position else { return }
            if type == Self.sequenceHeaderType { sequenceHeader = Array(data[position..<end]) }
            if type != Self.delimiterType, type != Self.paddingType {
                bytes += data[position..<end]
            }
            position = end
        }
    }

    /// The `av1C` record. AV1 in ISOBMFF sect. 2.3. Senders of rooms use eight bits and 4:2:0; a
    /// decoder reads the rest from the header itself.
    static func configuration(of header: [UInt8]) -> [UInt8]? {
        // The content begins after the head, an extension and one or two bytes of length.
        var begin = header.first.map { $0 & 0x04 != 0 ? 2 : 1 } ?? 0
        if header.first.map({ $0 & 0x02 != 0 }) == true {
            while begin < header.count, header[begin] & 0x80 != 0 { begin += 1 }
            begin += 1
        }
        guard begin + 2 < header.count else { return nil }
        var bits = Bits(header[begin...])
        let profile = bits.read(3)
        bits.skip(1)
        let isReduced = bits.read(1) == 1
        var level = 8
        var tier = 0
        if isReduced {
            level = bits.read(5)
        } else if bits.read(1) == 0 {
            // No timing information: then follow the display delay, the operating points, and the
            // first point's 12 bits.
            bits.skip(1 + 5 + 12)
            level = bits.read(5)
            if level > 7 { tier = bits.read(1) }
        }
        return [0x81, UInt8(profile << 5 | level), UInt8(tier << 7 | 0x0C), 0] + header
    }

    private struct Bits {
        private let bytes: ArraySlice<UInt8>
        private var position = 0

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        mutating func skip(_ count: Int) { position += count }

        /// Zeros after the end.
        mutating func read(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let index = bytes.startIndex + position / 8
                let bit = index < bytes.endIndex ? bytes[index] >> (7 - position % 8) & 1 : 0
                value = value << 1 | Int(bit)
                position += 1
            }
            return value
        }
    }
}
