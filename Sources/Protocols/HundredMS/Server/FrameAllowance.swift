internal import MediaKernel
internal import Rooms

/// How much one connection may send, regardless of content: all frames of a room, refused ones
/// included, are read one after another.
struct FrameAllowance {
    private var frames: TokenBucket
    private var bytes: TokenBucket

    /// The frame rate is at least twice the room's request rates, since a client sends other frames
    /// too; the byte rate is in proportion.
    init(_ limits: SignallingLimits, _ room: RoomLimits, at now: Instant) {
        let rate = max(limits.framesPerSecond, 2 * (room.fanOutPerSecond + room.readsPerSecond))
        let burst = max(limits.framesBurst, 2 * (room.fanOutBurst + room.readsBurst))
        frames = TokenBucket(rate: rate, burst: burst, at: now)
        bytes = TokenBucket(
            rate: limits.bytesPerSecond * rate / limits.framesPerSecond,
            burst: limits.bytesBurst * burst / limits.framesBurst, at: now)
    }

    /// Whether a frame of `count` bytes of UTF-8 is allowed.
    mutating func take(_ count: Int, at now: Instant) -> Bool {
        frames.take(at: now) && bytes.take(count, at: now)
    }
}
