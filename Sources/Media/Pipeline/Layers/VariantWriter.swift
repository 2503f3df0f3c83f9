import Codec
import HLS
import Stage

/// The director's items for the writers of its variants.
enum LayerItem: Sendable {
    /// The composed canvas of the top layer's size, shown at `index / frameRate`.
    case picture(VideoFrame, index: Int64)
    case sound([EncodedPacket])
    /// Frames `end` to `next` are left out because the stream was behind; `next` begins a segment.
    case gap(end: Int64, next: Int64)
    /// No more items come. The encoder is flushed, then the playlist ends unless the stream has
    /// failed. The last segment lasts until `end`, the frame after the stream's last one, even in a
    /// layer without that picture, so that all layers are equally long.
    case finish(end: Int64)
}

/// Writes one media playlist and its segments, on a thread of its own.
///
/// Owned by its thread after `run` begins; other threads use only `inbox`.
protocol VariantWriter: AnyObject {
    var inbox: Mailbox<LayerItem> { get }
    /// Nanoseconds since 1970 of frame 0. Set before the thread starts.
    var epoch: Int64 { get set }
    /// When each frame is due. Set before the thread starts.
    var clock: SampleClock? { get set }
    /// The variant's entry in a container's master playlist.
    func variant(_ files: ContainerFiles) -> MasterPlaylist.Variant
    /// The newest picture that the encoder has taken. From any thread.
    var newestTaken: Int64 { get }
    /// Pictures that came too late and were left out. From any thread.
    var picturesLeftOut: Int { get }
    /// The thread's body.
    func run()
}

extension VariantWriter {
    /// The entry in the master playlist of transport streams.
    var variant: MasterPlaylist.Variant { variant(.transportStream) }
}
