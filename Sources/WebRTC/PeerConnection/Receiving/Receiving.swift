import MediaKernel
import RTP
import SDP

/// What comes from the remote side, and what it is told of that.
struct Receiving {
    /// Different SSRCs that one remote side may use at a time.
    static let streamsMaximum = 1024
    /// RTCP datagrams that are read in a second. A bot that asks for lost packets of twenty-five
    /// videos sends some hundred; who sends more would have us do nothing else.
    static let reportDatagramsPerSecond = 2000
    /// Packets of which transport feedback may tell in a second: as many as 150 Mbit/s are. Two
    /// bytes of it may claim thousands, and each is looked at.
    static let statusesPerSecond = 16_384

    private(set) var inbound: [SSRC: InboundStream] = [:]
    /// RTX stream to the stream it repairs; at most one for each of `inbound`.
    private(set) var repairs: [SSRC: SSRC] = [:]
    var feedback: TransportFeedbackRecorder
    var reportAllowance: TokenBucket
    var statusAllowance: TokenBucket
    /// When the next reception reports are due.
    var nextReport: Instant?
    /// Datagrams that were neither valid nor expected.
    var discardedDatagrams = 0

    /// - Parameter reporter: from which the feedback is.
    init(reporter: SSRC, at now: Instant) {
        feedback = TransportFeedbackRecorder(sender: reporter)
        reportAllowance = TokenBucket(
            rate: Self.reportDatagramsPerSecond, burst: Self.reportDatagramsPerSecond, at: now)
        statusAllowance = TokenBucket(
            rate: Self.statusesPerSecond, burst: Self.statusesPerSecond, at: now)
    }

    var isFull: Bool { inbound.count >= Self.streamsMaximum }

    /// Notes when a packet came that the transport has counted.
    mutating func count(_ packet: RTPPacket, extensionID id: UInt8, at now: Instant) {
        guard let bytes = packet.extensions[id], bytes.count == 2 else { return }
        let first = bytes.startIndex
        // Browsers drop feedback that names none of the streams they send.
        feedback.media = packet.ssrc
        feedback.received(sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
    }

    /// Expects a stream of a track. Gives false where it is expected already, or there are too many.
    mutating func expect(
        _ ssrc: SSRC, of track: IncomingTrack, encoding: Int, in section: SectionIndex
    ) -> Bool {
        if let known = inbound[ssrc] {
            guard known.mid != track.mid || known.encoding != encoding else { return false }
        } else if isFull {
            return false
        }
        inbound[ssrc] = InboundStream(
            mid: track.mid, section: section, encoding: encoding, ssrc: ssrc,
            payloadType: PayloadType(track.codec.payloadType), clockRate: track.codec.clockRate)
        return true
    }

    /// Expects repairs of a stream. Gives those that were expected before, which the newest replace,
    /// or a peer could fill our memory with them; nil where these are expected already.
    mutating func expectRepairs(_ repair: SSRC, of ssrc: SSRC) -> [SSRC]? {
        guard repairs[repair] != ssrc else { return nil }
        let replaced = forgetRepairs(of: ssrc)
        repairs[repair] = ssrc
        return replaced
    }

    /// Gives the streams that are gone: this one and its repairs.
    mutating func forget(_ ssrc: SSRC) -> [SSRC] {
        inbound[ssrc] = nil
        return [ssrc] + forgetRepairs(of: ssrc)
    }

    private mutating func forgetRepairs(of ssrc: SSRC) -> [SSRC] {
        let gone = repairs.filter { $0.value == ssrc }.map(\.key)
        for repair in gone { repairs[repair] = nil }
        return gone
    }

    /// Sections have other places.
    func place(_ section: (_ mid: String) -> SectionIndex?) {
        for stream in inbound.values {
            if let section = section(stream.mid) { stream.section = section }
        }
    }

    /// What there is to report on: streams of which something has come since the last time.
    func reports(at now: Instant) -> [ReceptionReport] {
        inbound.values.compactMap { $0.report(at: now) }
    }
}
