public import MediaKernel
import Rooms

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point of wall-clock time, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// For what is shown to people and written into tokens; durations are measured with `Instant`.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public init(seconds: Int64) { nanoseconds = seconds * 1_000_000_000 }

    /// Reads the system's clock. Only the shells at the edge call this.
    public static func now() -> Timestamp {
        let seconds = Date().timeIntervalSince1970
        return Timestamp(nanoseconds: Int64(seconds * 1e9))
    }

    /// Whole seconds, rounded down.
    public var seconds: Int64 { UnixTime(nanoseconds: nanoseconds).seconds }
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// RFC 3339 in UTC with nanoseconds, e.g. `2023-03-22T04:24:10.155978231Z`.
    public var description: String {
        let civil = CivilTime(unixNanoseconds: nanoseconds)
        return "\(civil.date)T\(civil.time).\(paddedDecimal(civil.nanosecond, digits: 9))Z"
    }
}

extension UnixTime {
    public init(_ time: Timestamp) { self.init(nanoseconds: time.nanoseconds) }
}

extension Timestamp {
    public init(_ time: UnixTime) { self.init(nanoseconds: time.nanoseconds) }

    init(_ time: WallTime) { self.init(nanoseconds: time.milliseconds * 1_000_000) }
}
