import MediaKernel

/// A receiver's report on the streams it receives. RFC 3550 sect. 6.4.2.
public struct ReceiverReport: Hashable, Sendable {
    /// The reporter.
    public var ssrc: SSRC
    /// At most 31 are written.
    public var reports: [ReceptionReport]

    public init(ssrc: SSRC, reports: [ReceptionReport]) {
        self.ssrc = ssrc
        self.reports = reports
    }

    init(parsing reader: inout ByteReader, count: Int) throws(TruncatedInput) {
        ssrc = SSRC(try reader.readUInt32())
        reports = try ReceptionReport.parseList(&reader, count: count)
    }

    func write(into writer: inout ByteWriter) {
        writer.write(ssrc.rawValue)
        for report in reports.prefix(RTCPPacket.countMaximum) { report.write(into: &writer) }
    }
}

/// One block of a sender or receiver report: the reception quality of one stream. RFC 3550 sect.
/// 6.4.1.
public struct ReceptionReport: Hashable, Sendable {
    /// The stream reported on.
    public var ssrc: SSRC
    /// Lost share of the packets expected since the last report, in 1/256.
    public var fractionLost: UInt8
    /// Lost packets since the start, 24 bits signed; duplicates count against it.
    public var cumulativeLost: Int32
    /// Highest sequence number received; the upper half counts the wraps.
    public var extendedHighestSequence: UInt32
    /// Interarrival jitter in ticks of the stream's clock.
    public var jitter: UInt32
    /// Middle 32 bits of the last sender report's NTP time; 0 when there was none.
    public var lastSenderReport: UInt32
    /// Time since that report arrived, in 1/65536 s.
    public var delaySinceLastSenderReport: UInt32

    public init(
        ssrc: SSRC, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0,
        extendedHighestSequence: UInt32 = 0, jitter: UInt32 = 0, lastSenderReport: UInt32 = 0,
        delaySinceLastSenderReport: UInt32 = 0
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequence = extendedHighestSequence
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    static let cumulativeLostRange: ClosedRange<Int32> = -0x80_0000...0x7F_FFFF

    static func parseList(
        _ reader: inout ByteReader, count: Int
    ) throws(TruncatedInput) -> [ReceptionReport] {
        var list: [ReceptionReport] = []
        for _ in 0..<count { list.append(try ReceptionReport(parsing: &reader)) }
        return list
    }

    init(parsing reader: inout ByteReader) throws(TruncatedInput) {
        ssrc = SSRC(try reader.readUInt32())
        fractionLost = try reader.readUInt8()
        cumulativeLost = Int32(bitPattern: try reader.readUInt24() << 8) >> 8
        extendedHighestSequence = try reader.readUInt32()
        jitter = try reader.readUInt32()
        lastSenderReport = try reader.readUInt32()
        delaySinceLastSenderReport = try reader.readUInt32()
    }

    func write(into writer: inout ByteWriter) {
        let range = Self.cumulativeLostRange
        let lost = min(max(cumulativeLost, range.lowerBound), range.upperBound)
        writer.write(ssrc.rawValue)
        writer.write(fractionLost)
        writer.writeUInt24(UInt32(bitPattern: lost) & 0xFF_FFFF)
        writer.write(extendedHighestSequence)
        writer.write(jitter)
        writer.write(lastSenderReport)
        writer.write(delaySinceLastSenderReport)
    }
}
