import MediaKernel

/// Requests key frames from the named streams. RFC 5104 sect. 4.3.1.
public struct FullIntraRequest: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// The stream that should send a key frame.
        public var media: SSRC
        /// Raised with each new request; a repetition keeps it.
        public var sequenceNumber: UInt8

        public init(media: SSRC, sequenceNumber: UInt8) {
            self.media = media
            self.sequenceNumber = sequenceNumber
        }
    }

    /// The requester.
    public var sender: SSRC
    /// At most `entriesMaximum` are written or read.
    public var entries: [Entry]

    public static let entriesMaximum = 128

    public init(sender: SSRC, entries: [Entry]) {
        self.sender = sender
        self.entries = entries
    }

    init(sender: SSRC, parsing reader: inout ByteReader) throws(TruncatedInput) {
        self.sender = sender
        entries = []
        while reader.remaining > 0, entries.count < Self.entriesMaximum {
            let media = SSRC(try reader.readUInt32())
            entries.append(Entry(media: media, sequenceNumber: try reader.readUInt8()))
            try reader.skip(3)
        }
        _ = reader.readRest()
    }

    func write(into writer: inout ByteWriter) {
        for entry in entries.prefix(Self.entriesMaximum) {
            writer.write(entry.media.rawValue)
            writer.write(entry.sequenceNumber)
            writer.writeUInt24(0)
        }
    }
}
