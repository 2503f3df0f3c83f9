import MediaKernel
import RTP

/// Unwraps the timestamps of a track's sender reports against those of its frames.
///
/// A report that arrives before the first frame is held for it: the server sends one after the
/// first packet of a track, whose key frame has many, and the next report may take seconds.
struct ReportUnwrapper {
    struct Report: Equatable {
        var ntp: NTPTime
        /// Unwrapped, as in frames.
        var timestamp: Int64
        /// When the report arrived.
        var arrival: Instant
    }

    private struct Wrapped {
        var ntp: NTPTime
        var rtpTimestamp: UInt32
        var arrival: Instant
    }

    private var newest: Int64?
    /// The last report before the first frame.
    private var early: Wrapped?

    /// - Returns: nil if there is no frame yet to unwrap it against.
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

    /// - Returns: the report that was held for a frame.
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
