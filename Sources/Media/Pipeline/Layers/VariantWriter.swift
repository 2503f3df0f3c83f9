import Codec
import HLS
import Stage

/// What the director hands to the writers of its variants.
enum LayerItem: Sendable {
    /// The composed canvas of the top layer's size, shown at `index / frameRate`.
    case picture(VideoFrame, index: Int64)
    case sound([EncodedPacket])
    /// Nothing comes from frame `end` on until `next`, which begins a segment: the stream was
    /// behind and has left that out.
    case gap(end: Int64, next: Int64)
    /// Everything was sent. What is inside comes out, then the playlist ends, unless the stream has
    /// failed. The last segment lasts until `end`, the frame behind the stream's last one, even in a
    /// layer that has no picture of that one, so that all layers are equally long.
    case finish(end: Int64)
}

/// Writes one media playlist and its segments, on a thread of its own.
///
/// Owned by its thread after `run` begins; others reach it through `inbox` only.
protocol VariantWriter: AnyObject {
    var inbox: Mailbox<LayerItem> { get }
    /// Nanoseconds since 1970 of frame 0. Set before the thread starts.
    var epoch: Int64 { get set }
    /// When each frame is due. Set before the thread starts.
    var clock: SampleClock? { get set }
    /// What the master playlist says of it.
    var variant: MasterPlaylist.Variant { get }
    /// The newest picture that was taken in hand. From any thread.
    var newestTaken: Int64 { get }
    /// Pictures that were given too late to be of use, and left out. From any thread.
    var picturesLeftOut: Int { get }
    /// The thread's body.
    func run()
}
