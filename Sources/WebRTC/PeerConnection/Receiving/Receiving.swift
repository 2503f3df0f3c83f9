import MediaKernel
import RTP
import SDP

/// The media received from the remote side, and the feedback on it.
struct Receiving {
    /// The most SSRCs that one remote side may use at a time.
    static let streamsMaximum = 1024
    /// RTCP datagrams handled per second. A bot that requests lost packets of twenty-five videos
    /// sends some hundred; a sender of more would take all our time.
    static let reportDatagramsPerSecond = 2000
    /// Packets that transport feedback may report per second: as many as 150 Mbit/s need. Two bytes
    /// of feedback may claim thousands, and each is processed.
    static let statusesPerSecond = 16_384

    private(set) var inbound: [SSRC: InboundStream] = [:]
    /// Maps an RTX stream to the stream it repairs; at most one for each of `inbound`.
    private(set) var repairs: [SSRC: SSRC] = [:]
    var feedback: TransportFeedbackRecorder
    var reportAllowance: TokenBucket
    var statusAllowance: TokenBucket
    /// When the next reception reports are due.
    var nextReport: Instant?
    /// Datagrams that were neither valid nor expected.
    var discardedDatagrams = 0

    /// - Parameter reporter: the sender SSRC of the feedback.
    init(reporter: SSRC, at now: Instant) {
        feedback = TransportFeedbackRecorder(sender: reporter)
        reportAllowance = TokenBucket(
            rate: Self.reportDatagramsPerSecond, burst: Self.reportDatagramsPerSecond, at: now)
        statusAllowance = TokenBucket(
            rate: Self.statusesPerSecond, burst: Self.statusesPerSecond, at: now)
    }

    var isFull: Bool { inbound.count >= Self.streamsMaximum }

    /// Records the arrival of a packet with a transport-wide sequence number.
    mutating func count(_ packet: RTPPacket, extensionID id: UInt8, at now: Instant) {
        guard let bytes = packet.extensions[id], bytes.count == 2 else { return }
        let first = bytes.startIndex
        // Browsers drop feedback that names none of the streams they send.
        feedback.media = packet.ssrc
        feedback.received(sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
    }

    /// Expects a stream of a track. Returns false if it is expected already or there are too many.
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

    /// Expects an RTX stream for a stream. Returns the former RTX streams, which it replaces so
    /// that a peer cannot fill our memory; nil if it is expected already.
    mutating func expectRepairs(_ repair: SSRC, of ssrc: SSRC) -> [SSRC]? {
        guard repairs[repair] != ssrc else { return nil }
        let replaced = forgetRepairs(of: ssrc)
        repairs[repair] = ssrc
        return replaced
    }

    /// Forgets a stream and its RTX streams, and returns them.
    mutating func forget(_ ssrc: SSRC) -> [SSRC] {
        inbound[ssrc] = nil
        return [ssrc] + forgetRepairs(of: ssrc)
    }

    private mutating func forgetRepairs(of ssrc: SSRC) -> [SSRC] {
        let gone = repairs.filter { $0.value == ssrc }.map(\.key)
        for repair in gone { repairs[repair] = nil }
        return gone
    }

    /// Updates the section indices after a change.
    func place(_ section: (_ mid: String) -> SectionIndex?) {
        for stream in inbound.values {
            if let section = section(stream.mid) { stream.section = section }
        }
    }

    /// The reports on all streams that have received packets since the last time.
    func reports(at now: Instant) -> [ReceptionReport] {
        inbound.values.compactMap { $0.report(at: now) }
    }
}
