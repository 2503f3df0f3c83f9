import MediaKernel

/// The highest bit rate that a receiver thinks it can take (REMB). draft-alvestrand-rmcat-remb-03
/// sect. 2.2.
///
/// ```
/// |  'R' 'E' 'M' 'B'  |  count (8)  |  exponent (6), mantissa (18)  |  SSRC ...
/// ```
public struct ReceiverEstimatedMaximumBitrate: Hashable, Sendable {
    /// The receiver that sends the estimate.
    public var sender: SSRC
    /// Bits per second, all named streams together. Written with 18 significant bits.
    public var bitrate: UInt64
    /// The streams that the limit applies to; at most 255 are written.
    public var media: [SSRC]

    static let identifier: UInt32 = 0x5245_4D42

    public init(sender: SSRC, bitrate: UInt64, media: [SSRC]) {
        self.sender = sender
        self.bitrate = bitrate
        self.media = media
    }

    /// Parses the bytes after the identifier.
    init(sender: SSRC, parsing reader: inout ByteReader) throws(TruncatedInput) {
        self.sender = sender
        let count = Int(try reader.readUInt8())
        let packed = try reader.readUInt24()
        let exponent = Int(packed >> 18)
        let mantissa = UInt64(packed & 0x3_FFFF)
        // 18 bits fit below 2^64 up to an exponent of 46; a higher one is as good as no limit.
        bitrate = mantissa == 0 || exponent <= 46 ? mantissa << UInt64(exponent) : .max
        media = []
        for _ in 0..<count { media.append(SSRC(try reader.readUInt32())) }
    }

    func write(into writer: inout ByteWriter) {
        let media = media.prefix(255)
        let exponent = max(0, 64 - bitrate.leadingZeroBitCount - 18)
        writer.write(Self.identifier)
        writer.write(UInt8(media.count))
        writer.writeUInt24(UInt32(exponent) << 18 | UInt32(bitrate >> UInt64(exponent)))
        for ssrc in media { writer.write(ssrc.rawValue) }
    }
}
