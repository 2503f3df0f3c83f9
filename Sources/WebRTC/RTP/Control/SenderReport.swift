public import MediaKernel

/// A sender's report on its stream: above all, the wall-clock time of an RTP timestamp. RFC 3550
/// sect. 6.4.1.
public struct SenderReport: Hashable, Sendable {
    public var ssrc: SSRC
    /// The sender's wall clock when it sent the report.
    public var ntp: NTPTime
    /// The same moment on the stream's RTP clock.
    public var rtpTimestamp: UInt32
    /// Packets sent since the start, modulo 2^32.
    public var packetCount: UInt32
    /// Payload bytes sent since the start, modulo 2^32.
    public var octetCount: UInt32
    /// At most 31 are written.
    public var reports: [ReceptionReport]

    public init(
        ssrc: SSRC, ntp: NTPTime, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32,
        reports: [ReceptionReport] = []
    ) {
        self.ssrc = ssrc
        self.ntp = ntp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.reports = reports
    }

    init(parsing reader: inout ByteReader, count: Int) throws(TruncatedInput) {
        ssrc = SSRC(try reader.readUInt32())
        ntp = NTPTime(rawValue: try reader.readUInt64())
        rtpTimestamp = try reader.readUInt32()
        packetCount = try reader.readUInt32()
        octetCount = try reader.readUInt32()
        reports = try ReceptionReport.parseList(&reader, count: count)
    }

    func write(into writer: inout ByteWriter) {
        writer.write(ssrc.rawValue)
        writer.write(ntp.rawValue)
        writer.write(rtpTimestamp)
        writer.write(packetCount)
        writer.write(octetCount)
        for report in reports.prefix(RTCPPacket.countMaximum) { report.write(into: &writer) }
    }
}
