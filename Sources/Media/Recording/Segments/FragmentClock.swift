import ISOMedia
import MediaKernel

/// The tracks and times of a stream's fragments. Both tracks are in one file: a player fetches one
/// file a segment, as of the transport stream.
struct FragmentClock: Hashable, Sendable {
    static let pictures: UInt32 = 1
    static let sound: UInt32 = 2
    /// The time of frame 0 and of sample 0 in seconds, as in the transport stream: leaves room for
    /// negative times, which fragments cannot have.
    static let originSeconds: Int64 = 1

    /// Frames per second.
    let frameRate: Int
    /// Samples per second.
    let sampleRate: Int

    /// Ticks per second of the pictures.
    var timescale: UInt32 { UInt32(frameRate) * PictureTrack.ticksPerFrame }

    func pictureTicks(_ time: MediaTime) -> Int64 {
        Self.ticks(time, Int32(timescale))
    }

    func soundTicks(_ time: MediaTime) -> Int64 { Self.ticks(time, Int32(sampleRate)) }

    private static func ticks(_ time: MediaTime, _ scale: Int32) -> Int64 {
        time.rescaled(to: scale).ticks + originSeconds * Int64(scale)
    }
}
