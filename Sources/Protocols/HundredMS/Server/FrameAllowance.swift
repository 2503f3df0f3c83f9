internal import MediaKernel
internal import Rooms

/// How much one connection may send at the moment, whatever it says: all of a room's frames are read
/// one after the other, those that are refused too.
struct FrameAllowance {
    private var frames: TokenBucket
    private var bytes: TokenBucket

    /// Of frames at least twice what the room grants of requests, which are not all that a client
    /// sends; of bytes in proportion.
    init(_ limits: SignallingLimits, _ room: RoomLimits, at now: Instant) {
        let rate = max(limits.framesPerSecond, 2 * (room.fanOutPerSecond + room.readsPerSecond))
        let burst = max(limits.framesBurst, 2 * (room.fanOutBurst + room.readsBurst))
        frames = TokenBucket(rate: rate, burst: burst, at: now)
        bytes = TokenBucket(
            rate: limits.bytesPerSecond * rate / limits.framesPerSecond,
            burst: limits.bytesBurst * burst / limits.framesBurst, at: now)
    }

    /// Whether a frame of so many bytes of UTF-8 may come.
    mutating func take(_ count: Int, at now: Instant) -> Bool {
        frames.take(at: now) && bytes.take(count, at: now)
    }
}
