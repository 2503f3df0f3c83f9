internal import MediaKernel
internal import RoomHost
internal import Rooms

extension FrameAllowance {
    /// The frame rate is at least twice the room's request rates, since a client sends other frames
    /// too; the byte rate is in proportion.
    init(_ limits: SignallingLimits, _ room: RoomLimits, at now: Instant) {
        let rate = max(limits.framesPerSecond, 2 * (room.fanOutPerSecond + room.readsPerSecond))
        let burst = max(limits.framesBurst, 2 * (room.fanOutBurst + room.readsBurst))
        self.init(
            framesPerSecond: rate, framesBurst: burst,
            bytesPerSecond: limits.bytesPerSecond * rate / limits.framesPerSecond,
            bytesBurst: limits.bytesBurst * burst / limits.framesBurst, at: now)
    }
}
