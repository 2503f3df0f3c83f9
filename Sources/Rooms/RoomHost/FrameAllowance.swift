public import MediaKernel

/// How much one connection may send, regardless of content: all frames of a room, refused ones
/// included, are read one after another.
public struct FrameAllowance: Sendable {
    private var frames: TokenBucket
    private var bytes: TokenBucket

    /// - Parameter bytesPerSecond: of UTF-8.
    public init(
        framesPerSecond: Int, framesBurst: Int, bytesPerSecond: Int, bytesBurst: Int,
        at now: Instant
    ) {
        frames = TokenBucket(rate: framesPerSecond, burst: framesBurst, at: now)
        bytes = TokenBucket(rate: bytesPerSecond, burst: bytesBurst, at: now)
    }

    /// Whether a frame of `count` bytes is allowed.
    public mutating func take(_ count: Int, at now: Instant) -> Bool {
        frames.take(at: now) && bytes.take(count, at: now)
    }
}
