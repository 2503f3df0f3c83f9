/// Writes the parts of a packet's header one after another into a zeroed buffer.
struct HeaderWriter {
    private let room: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Parameter room: zeroed, and large enough for everything written; writing more traps.
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

    /// Leaves zeros in place.
    mutating func skip(_ count: Int) { _ = take(count) }

    private mutating func store(_ value: some BitwiseCopyable) {
        room.storeBytes(
            of: value, toByteOffset: take(MemoryLayout.size(ofValue: value)),
            as: type(of: value))
    }

    /// Reserves the next `more` bytes and returns their offset.
    private mutating func take(_ more: Int) -> Int {
        precondition(more <= room.count - count, "a header is as long as was reckoned")
        defer { count += more }
        return count
    }
}
