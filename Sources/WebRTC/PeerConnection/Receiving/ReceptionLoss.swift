import MediaKernel
import RTP

/// The share of our packets that the remote side has lost, from its reception reports.
/// RFC 3550 sect. 6.4.1.
struct ReceptionLoss {
    /// Packets below which a share says nothing: the report goes into the next.
    static let packetsMinimum: Int64 = 20
    /// What is older says nothing of now. Of audio alone, reports come every 5 s at the least:
    /// RFC 3550 sect. 6.2.
    static let lifetime: Duration = .seconds(8)

    private struct Stream {
        var expected: UInt32
        var lost: Int32
    }

    private var streams: [SSRC: Stream] = [:]
    private var expected: Int64 = 0
    private var lost: Int64 = 0
    private var measured: (share: Double, at: Instant)?

    /// 0…1; nil when nothing has been reported lately.
    func share(at now: Instant) -> Double? {
        guard let measured, now - measured.at < Self.lifetime else { return nil }
        return measured.share
    }

    /// - Parameter report: of a stream of ours, which bounds how many are kept.
    mutating func received(_ report: ReceptionReport, at now: Instant) {
        let stream = Stream(expected: report.extendedHighestSequence, lost: report.cumulativeLost)
        guard let before = streams[report.ssrc] else {
            streams[report.ssrc] = stream
            return
        }
        // The count wraps; repeated and late reports say nothing new.
        let more = Int32(bitPattern: stream.expected &- before.expected)
        guard more > 0 else { return }
        streams[report.ssrc] = stream
        expected += Int64(more)
        lost += Int64(min(max(stream.lost &- before.lost, 0), more))
        guard expected >= Self.packetsMinimum else { return }
        measured = (Double(lost) / Double(expected), now)
        (expected, lost) = (0, 0)
    }

    mutating func forget(_ ssrc: SSRC) { streams[ssrc] = nil }
}
