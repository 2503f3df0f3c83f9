import MediaKernel
import RTP

/// The last bytes of each payload: the source and the sending time. A forwarder leaves payloads
/// unchanged.
///
/// ```
/// | magic (32 bits) | source (32) | monotonic time in ns (64) |
/// ```
struct Stamp {
    static let bytes = 16
    private static let magic: UInt32 = 0x526F_6D63

    /// The stream: one layer of one track.
    var source: UInt32
    var sent: Instant

    init(source: UInt32, sent: Instant) {
        self.source = source
        self.sent = sent
    }

    /// Nil for packets of another origin, such as padding.
    init?(endOf payload: ArraySlice<UInt8>) {
        guard payload.count >= Self.bytes else { return nil }
        let tail = payload.suffix(Self.bytes)
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            tail.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard number(0, 4) == UInt64(Self.magic) else { return nil }
        source = UInt32(number(4, 4))
        sent = Instant(nanoseconds: Int64(bitPattern: number(8, 8)))
    }

    func append(to payload: inout [UInt8]) {
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.bigEndian) { payload.append(contentsOf: $0) }
        }
        append(Self.magic)
        append(source)
        append(sent.nanoseconds)
    }
}
