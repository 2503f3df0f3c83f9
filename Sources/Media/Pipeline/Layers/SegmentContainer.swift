import Codec
import MediaKernel

/// A format of segments: multiplexes packets and cuts.
///
/// The result has the packets as well as the bytes, so that the bytes need not be parsed again.
protocol SegmentContainer: AnyObject {
    /// - Throws: `.segmentWithoutKeyframe`, `.queueFull`.
    func write(video packet: EncodedPacket) throws(CodecError)
    func write(audio packet: EncodedPacket) throws(CodecError)
    /// Whether the audio that was written reaches this time.
    func isAudioComplete(until time: MediaTime) -> Bool
    /// Whether all audio that belongs before this time was written: sooner than it reaches it.
    func hasAllAudio(endingBy time: MediaTime) -> Bool
    /// Ends the segment, or its part, after the video written so far.
    ///
    /// - Parameter time: of the next one's first picture.
    func cut(before time: MediaTime) throws(CodecError) -> MultiplexedSegment
    /// Ends an audio-only segment before the first block that begins at `time` or later.
    func cut(at time: MediaTime) throws(CodecError) -> MultiplexedSegment
    /// The last segment; empty if nothing was written.
    func finish() throws(CodecError) -> MultiplexedSegment
}

extension TransportStreamMuxer: SegmentContainer {}
