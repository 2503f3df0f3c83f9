/// Packets out of a stream in which each stands behind its length in two bytes (RFC 4571 sect. 2),
/// however the stream was cut on its way.
public struct StreamFraming {
    /// In front of each packet.
    public static let headerBytes = 2

    private let packetBytesMaximum: Int
    /// What has come and was not given yet, from `start` on: less than a packet between two calls
    /// of `next` that gave nil.
    private var bytes: [UInt8] = []
    private var start = 0

    public init(packetBytesMaximum: Int) { self.packetBytesMaximum = packetBytesMaximum }

    public mutating func append(_ received: some Collection<UInt8>) {
        bytes.append(contentsOf: received)
    }

    /// The next whole packet; nil when more must come first. Null packets, which keep a stream
    /// alive, are passed over.
    ///
    /// - Throws: when a packet is announced that may not be. The stream cannot be read any further.
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
