/// Splits a stream into packets, each preceded by its length in two bytes (RFC 4571 sect. 2),
/// regardless of how the stream was segmented.
public struct StreamFraming {
    /// The length of the header of each packet.
    public static let headerBytes = 2

    private let packetBytesMaximum: Int
    /// Received bytes, from `start` on not returned yet: less than a packet after `next` returned
    /// nil.
    private var bytes: [UInt8] = []
    private var start = 0

    public init(packetBytesMaximum: Int) { self.packetBytesMaximum = packetBytesMaximum }

    public mutating func append(_ received: some Collection<UInt8>) {
        bytes.append(contentsOf: received)
    }

    /// The next complete packet; nil if more bytes are needed. Empty packets, which keep a stream
    /// alive, are skipped.
    ///
    /// - Throws: if a packet is too long. The stream is then unreadable.
    public mutating func next() throws(StreamFramingError) -> [UInt8]? {
        while bytes.count - start >= Self.headerBytes {
            let count = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            guard count <= packetBytesMaximum else {
                throw .packetTooLong(bytes: count, maximum: packetBytesMaximum)
            }
            let body = start + Self.headerBytes
            guard bytes.count - body >= count else { break }
            start = body + count
            if count > 0 { return Array(bytes[body..<start]) }
        }
        bytes.removeFirst(start)
        start = 0
        return nil
    }
}

public enum StreamFramingError: Error, Hashable, Sendable {
    case packetTooLong(bytes: Int, maximum: Int)
}
