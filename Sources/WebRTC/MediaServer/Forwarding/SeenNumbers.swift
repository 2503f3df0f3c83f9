import RTP

/// Remembers which of a stream's newest sequence numbers have arrived.
struct SeenNumbers {
    /// The same as SRTP's replay window; older numbers count as seen.
    static let window = 2048
    private static let wordBits = 64

    private var unwrapper = SequenceUnwrapper()
    private var newest: Int64?
    private var bits = [UInt64](repeating: 0, count: window / wordBits)

    /// Returns whether the number is new.
    mutating func insert(_ number: SequenceNumber) -> Bool {
        let element = unwrapper.unwrap(number)
        guard let newest else {
            self.newest = element
            mark(element)
            return true
        }
        if element > newest {
            clear(from: newest + 1, through: element)
            self.newest = element
        }
        let (word, bit) = Self.place(of: element)
        guard newest - element < Int64(Self.window), bits[word] & bit == 0 else { return false }
        mark(element)
        return true
    }

    private mutating func mark(_ element: Int64) {
        let (word, bit) = Self.place(of: element)
        bits[word] |= bit
    }

    private mutating func clear(from first: Int64, through last: Int64) {
        for element in max(first, last - Int64(Self.window) + 1)...last {
            let (word, bit) = Self.place(of: element)
            bits[word] &= ~bit
        }
    }

    private static func place(of element: Int64) -> (word: Int, bit: UInt64) {
        // Numbers before the first may be negative.
        let slot = Int(element & Int64(window - 1))
        return (slot / wordBits, 1 << UInt64(slot % wordBits))
    }
}
