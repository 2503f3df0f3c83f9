import MediaKernel
import RTP

/// Unwraps the timestamps of a track's sender reports against those of its frames.
///
/// A report that comes before the first frame waits for it: the server sends one behind the first
/// packet of a beginning, of which a key frame has many, and the next may take seconds.
struct ReportUnwrapper {
    struct Report: Equatable {
        var ntp: NTPTime
        /// As frames have it, unwrapped.
        var timestamp: Int64
        /// When it came.
        var arrival: Instant
    }

    private struct Wrapped {
        var ntp: NTPTime
        var rtpTimestamp: UInt32
        var arrival: Instant
    }

    private var newest: Int64?
    /// What came before the first frame, of several the last.
    private var early: Wrapped?

    /// - Returns: nil while there is no frame to unwrap it against.
    mutating func report(
        ntp: NTPTime, rtpTimestamp: UInt32, at arrival: Instant
    ) -> Report? {
        let wrapped = Wrapped(ntp: ntp, rtpTimestamp: rtpTimestamp, arrival: arrival)
        guard let newest else {
            early = wrapped
            return nil
        }
        return Self.unwrapped(wrapped, near: newest)
    }

    /// - Returns: the report that waited for a frame.
    mutating func delivered(timestamp: Int64) -> Report? {
        newest = timestamp
        defer { early = nil }
        return early.map { Self.unwrapped($0, near: timestamp) }
    }

    private static func unwrapped(_ report: Wrapped, near timestamp: Int64) -> Report {
        let newest = UInt32(truncatingIfNeeded: timestamp)
        let distance = Int32(bitPattern: report.rtpTimestamp &- newest)
        return Report(
            ntp: report.ntp, timestamp: timestamp + Int64(distance), arrival: report.arrival)
    }
}
