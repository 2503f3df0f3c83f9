/// A point on the wall clock, in milliseconds since 1970, as the 100ms protocol shows time.
///
/// Shown, never reckoned with: what a room does depends on `Instant` alone.
public struct WallTime: Hashable, Sendable, Comparable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (a: WallTime, b: WallTime) -> Bool { a.milliseconds < b.milliseconds }
}
