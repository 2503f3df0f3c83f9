import MediaKernel

/// Reads bits, highest first, from untrusted bytes. Never reads past the end.
struct BitReader {
    private let bytes: ArraySlice<UInt8>
    private var position = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private var remaining: Int { bytes.count * 8 - position }

    /// - Parameter count: 0 ... 32 bits.
    mutating func read(_ count: Int) throws(TruncatedInput) -> UInt32 {
        guard count <= remaining else {
            throw TruncatedInput(needed: count, available: remaining)
        }
        var value: UInt32 = 0
        for _ in 0..<count {
            let byte = bytes[bytes.startIndex + position / 8]
            value = value << 1 | UInt32(byte >> UInt8(7 - position % 8) & 1)
            position += 1
        }
        return value
    }

    mutating func readFlag() throws(TruncatedInput) -> Bool { try read(1) == 1 }

    mutating func skip(_ count: Int) throws(TruncatedInput) {
        guard count <= remaining else {
            throw TruncatedInput(needed: count, available: remaining)
        }
        position += count
    }

    /// An Exp-Golomb number, ue(v) of H.264 sect. 9.1; the uvlc() of AV1 sect. 4.10.3 is the same.
    mutating func readExpGolomb() throws(TruncatedInput) -> UInt32 {
        var zeros = 0
        while try !readFlag() {
            zeros += 1
            // Neither format has numbers of more than 32 bits.
            guard zeros < 32 else { throw TruncatedInput(needed: 1, available: 0) }
        }
        let rest = try read(zeros)
        return UInt32(truncatingIfNeeded: UInt64(1) << UInt64(zeros) - 1 + UInt64(rest))
    }

    /// A signed Exp-Golomb number, se(v) of H.264 sect. 9.1.1.
    mutating func readSignedExpGolomb() throws(TruncatedInput) -> Int32 {
        let value = Int64(try readExpGolomb())
        return Int32(truncatingIfNeeded: value % 2 == 0 ? -(value / 2) : (value + 1) / 2)
    }
}
