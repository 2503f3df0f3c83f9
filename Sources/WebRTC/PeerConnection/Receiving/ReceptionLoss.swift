import MediaKernel
import RTP

/// The share of our packets that the remote side has lost, from its reception reports.
/// RFC 3550 sect. 6.4.1.
struct ReceptionLoss {
    /// The fewest packets for a meaningful share. Smaller reports are merged into the next.
    static let packetsMinimum: Int64 = 20
    /// Older reports are outdated. With audio alone, a report comes at least every 5 s: RFC 3550
    /// sect. 6.2.
    static let lifetime: Duration = .seconds(8)

    private struct Stream {
        var expected: UInt32
        var lost: Int32
    }

    private var streams: [SSRC: Stream] = [:]
    private var expected: Int64 = 0
    private var lost: Int64 = 0
    private var measured: (share: Double, at: Instant)?

    /// 0…1; nil without a recent report.
    func share(at now: Instant) -> Double? {
        guard let measured, now - measured.at < Self.lifetime else { return nil }
        return measured.share
    }

    /// - Parameter report: on a stream of ours, which limits how many streams are kept.
    mutating func received(_ report: ReceptionReport, at now: Instant) {
        let stream = Stream(expected: report.extendedHighestSequence, lost: report.cumulativeLost)
        guard let before = streams[report.ssrc] else {
            streams[report.ssrc] = stream
            return
        }
        // The count wraps. Repeated and late reports are ignored.
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
