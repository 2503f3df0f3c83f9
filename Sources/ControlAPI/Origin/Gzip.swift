import MediaKernel

/// Writes the gzip format (RFC 1952) with one DEFLATE block of fixed Huffman codes (RFC 1951).
///
/// For playlists: text that repeats itself line by line, where matching does nearly all of the
/// work and dynamic codes would add little. There is no decoder here, hence nothing that reads
/// foreign bytes.
enum Gzip {
    /// Playlists of a day are below 4 MiB. Longer input is served as it is.
    static let inputBytesMaximum = 8 * 1024 * 1024

    static func compressed(_ input: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        output.reserveCapacity(input.count / 4 + 64)
        var writer = BitWriter(output: output)
        writer.write(0b1, bits: 1)  // BFINAL
        writer.write(0b01, bits: 2)  // BTYPE: fixed Huffman codes
        deflate(input, into: &writer)
        writer.writeCode(literal: 256)
        output = writer.finished()
        for value in [CRC32.checksum(input), UInt32(truncatingIfNeeded: input.count)] {
            for shift in stride(from: 0, to: 32, by: 8) {
                output.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
            }
        }
        return output
    }

    private static let windowBytes = 32_768
    private static let matchLengths = 3...258
    private static let hashBits = 15
    /// Candidates looked at per position. More gains little on playlists.
    private static let chainMaximum = 32

    private static func deflate(_ input: [UInt8], into writer: inout BitWriter) {
        // `heads[h]` is the newest position with hash h, `previous[p % window]` the one before p.
        var heads = [Int32](repeating: -1, count: 1 << hashBits)
        var previous = [Int32](repeating: -1, count: windowBytes)
        func hash(_ at: Int) -> Int {
            let value =
                UInt32(input[at]) | UInt32(input[at + 1]) << 8 | UInt32(input[at + 2]) << 16
            return Int((value &* 0x9e37_79b1) >> UInt32(32 - hashBits))
        }
        func insert(_ at: Int) {
            guard at + 2 < input.count else { return }
            let bucket = hash(at)
            previous[at % windowBytes] = heads[bucket]
            heads[bucket] = Int32(at)
        }
        func longestMatch(at position: Int) -> (length: Int, distance: Int)? {
            guard position + 2 < input.count else { return nil }
            var best = (length: 0, distance: 0)
            var candidate = Int(heads[hash(position)])
            let limit = min(matchLengths.upperBound, input.count - position)
            for _ in 0..<chainMaximum {
                guard candidate >= 0, position - candidate < windowBytes else { break }
                var length = 0
                while length < limit, input[candidate + length] == input[position + length] {
                    length += 1
                }
                if length > best.length { best = (length, position - candidate) }
                if length == limit { break }
                candidate = Int(previous[candidate % windowBytes])
            }
            return best.length >= matchLengths.lowerBound ? best : nil
        }
        var position = 0
        while position < input.count {
            let match = longestMatch(at: position)
            if let match {
                writer.write(length: match.length, distance: match.distance)
            } else {
                writer.writeCode(literal: Int(input[position]))
            }
            let end = position + (match?.length ?? 1)
            while position < end {
                insert(position)
                position += 1
            }
        }
    }
}

/// Packs bits from the least significant end of each byte. RFC 1951 sect. 3.1.1.
private struct BitWriter {
    private var output: [UInt8]
    private var pending: UInt64 = 0
    private var pendingBits = 0

    init(output: [UInt8]) { self.output = output }

    mutating func write(_ value: Int, bits: Int) {
        pending |= UInt64(value) << UInt64(pendingBits)
        pendingBits += bits
        while pendingBits >= 8 {
            output.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingBits -= 8
        }
    }

    /// Huffman codes go in with their most significant bit first.
    private mutating func write(reversed code: Int, bits: Int) {
        var value = 0
        for bit in 0..<bits where code >> bit & 1 == 1 { value |= 1 << (bits - 1 - bit) }
        write(value, bits: bits)
    }

    /// The fixed code of a literal or length symbol. RFC 1951 sect. 3.2.6.
    mutating func writeCode(literal symbol: Int) {
        switch symbol {
        case 0...143: write(reversed: 0b0011_0000 + symbol, bits: 8)
        case 144...255: write(reversed: 0b1_1001_0000 + symbol - 144, bits: 9)
        case 256...279: write(reversed: symbol - 256, bits: 7)
        default: write(reversed: 0b1100_0000 + symbol - 280, bits: 8)
        }
    }

    mutating func write(length: Int, distance: Int) {
        let lengthSymbol = Self.lengthBases.lastIndex { $0 <= length } ?? 0
        writeCode(literal: 257 + lengthSymbol)
        write(length - Self.lengthBases[lengthSymbol], bits: Self.lengthExtraBits(lengthSymbol))
        let distanceSymbol = Self.distanceBases.lastIndex { $0 <= distance } ?? 0
        write(reversed: distanceSymbol, bits: 5)
        write(
            distance - Self.distanceBases[distanceSymbol], bits: max(0, distanceSymbol / 2 - 1))
    }

    mutating func finished() -> [UInt8] {
        if pendingBits > 0 { write(0, bits: 8 - pendingBits) }
        return output
    }

    // RFC 1951 sect. 3.2.5. Length 258 has a symbol of its own without extra bits.
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static func lengthExtraBits(_ symbol: Int) -> Int {
        symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1
    }
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12_289, 16_385, 24_577,
    ]
}
