import Codec
import MediaKernel

/// The format of segments: puts packets together and cuts.
///
/// What it returns has the packets beside the bytes, so that nobody takes apart what was just put
/// together.
protocol SegmentContainer: AnyObject {
    /// - Throws: `.segmentWithoutKeyframe`, `.queueFull`.
    func write(video packet: EncodedPacket) throws(CodecError)
    func write(audio packet: EncodedPacket) throws(CodecError)
    /// Whether the audio that was written reaches this time.
    func isAudioComplete(until time: MediaTime) -> Bool
    /// Ends the segment after the video written so far.
    ///
    /// - Parameter time: of the next segment's first picture.
    func cut(before time: MediaTime) throws(CodecError) -> MultiplexedSegment
    /// Ends a segment of sound alone before the first block that begins at `time` or later.
    func cut(at time: MediaTime) throws(CodecError) -> MultiplexedSegment
    /// The last segment; empty when there is nothing.
    func finish() throws(CodecError) -> MultiplexedSegment
}

extension TransportStreamMuxer: SegmentContainer {}
