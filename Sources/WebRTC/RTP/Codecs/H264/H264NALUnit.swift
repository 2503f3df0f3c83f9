/// The kinds of NAL unit used here. ITU-T H.264 table 7-1, RFC 6184 table 1.
enum H264NALUnit {
    static let slice: UInt8 = 1
    static let instantaneousRefresh: UInt8 = 5
    static let sequenceParameterSet: UInt8 = 7
    static let pictureParameterSet: UInt8 = 8
    static let accessUnitDelimiter: UInt8 = 9
    /// The kinds up to this one are H.264's own; those above it are RFC 6184's.
    static let lastSingle: UInt8 = 23
    static let aggregation: UInt8 = 24
    static let fragmentation: UInt8 = 28

    static let startCode: [UInt8] = [0, 0, 0, 1]

    static func kind(of header: UInt8) -> UInt8 { header & 0x1F }

    /// Whether a slice is the first of its picture, given the bytes after its NAL header:
    /// first_mb_in_slice is zero, which Exp-Golomb codes as a one bit.
    static func isFirstSlice(_ body: ArraySlice<UInt8>) -> Bool {
        body.first.map { $0 & 0x80 != 0 } ?? false
    }

    /// Iterates over the units of an aggregation packet, given the bytes after its NAL header.
    /// Stops and returns false at a length that does not fit.
    static func forEachAggregated(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void
    ) -> Bool {
        var rest = bytes
        while rest.count >= 2 {
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            guard count > 0, count <= rest.count else { return false }
            body(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty
    }

    /// An aggregation packet of these units, each of at most 65,535 bytes.
    static func aggregate(_ units: [ArraySlice<UInt8>]) -> [UInt8] {
        // The highest NRI of the units, any of their F bits. RFC 6184 sect. 5.7.1.
        let reference = units.compactMap(\.first).map { $0 & 0x60 }.max() ?? 0
        let forbidden = units.compactMap(\.first).reduce(0) { $0 | $1 & 0x80 }
        var payload = [forbidden | reference | aggregation]
        for unit in units {
            payload.append(bigEndian: UInt16(unit.count))
            payload.append(contentsOf: unit)
        }
        return payload
    }

    /// The kinds of unit that lie whole in an RTP payload: bit n stands for kind n.
    static func kinds(in payload: ArraySlice<UInt8>) -> UInt32 {
        guard let header = payload.first else { return 0 }
        guard kind(of: header) == aggregation else { return 1 << kind(of: header) }
        var kinds: UInt32 = 0
        _ = forEachAggregated(payload.dropFirst()) { unit in
            if let header = unit.first { kinds |= 1 << kind(of: header) }
        }
        return kinds
    }

    /// The picture size, if the payload holds a whole sequence parameter set.
    static func pictureSize(in payload: ArraySlice<UInt8>) -> PictureSize? {
        guard let header = payload.first else { return nil }
        var size: PictureSize?
        func read(_ unit: ArraySlice<UInt8>) {
            guard let first = unit.first, kind(of: first) == sequenceParameterSet else { return }
            size = H264SequenceParameterSet(unit)?.size ?? size
        }
        if kind(of: header) == aggregation {
            _ = forEachAggregated(payload.dropFirst(), read)
        } else {
            read(payload)
        }
        return size
    }

    /// Splits an Annex B byte stream at its start codes of three or four bytes.
    static func split(_ stream: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var unitStart: Int?
        var index = 0
        func close(at end: Int) {
            guard let start = unitStart else { return }
            // Zeros before a start code do not belong to the unit. H.264 annex B.
            var end = end
            while end > start, stream[end - 1] == 0 { end -= 1 }
            if end > start { units.append(stream[start..<end]) }
        }
        while index + 2 < stream.count {
            if stream[index + 2] > 1 {
                index += 3
            } else if stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
                close(at: index)
                unitStart = index + 3
                index += 3
            } else {
                index += 1
            }
        }
        close(at: stream.count)
        return units
    }
}
