/// Writes a packet's header into zeros, one part behind the other.
struct HeaderWriter {
    private let room: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Parameter room: of zeros, with a place for all that is written; more traps.
    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func write(_ byte: UInt8) { store(byte) }
    mutating func write(_ value: UInt16) { store(value.bigEndian) }
    mutating func write(_ value: UInt32) { store(value.bigEndian) }

    mutating func write(_ bytes: ArraySlice<UInt8>) {
        let place = take(bytes.count)
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: room[place...]).copyMemory(from: $0)
        }
    }

    /// Leaves zeros.
    mutating func skip(_ count: Int) { _ = take(count) }

    private mutating func store(_ value: some BitwiseCopyable) {
        room.storeBytes(
            of: value, toByteOffset: take(MemoryLayout.size(ofValue: value)),
            as: type(of: value))
    }

    /// The place of the next so many bytes.
    private mutating func take(_ more: Int) -> Int {
        precondition(more <= room.count - count, "a header is as long as was reckoned")
        defer { count += more }
        return count
    }
}
