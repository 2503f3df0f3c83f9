import Codec

/// Takes a layer's encoded packets: writes them into segments, or passes them on.
///
/// Called on the layer's thread. A sink that may block does so on a thread of its own, behind a
/// bounded queue: every sink holds up the others.
protocol PacketSink: AnyObject {
    /// The next picture, in decoding order.
    func take(picture packet: EncodedPacket) throws
    /// Sound may come before or after the pictures of its time.
    func take(sound packets: [EncodedPacket]) throws
    /// Frames `end` to `next` are left out because the stream was behind; `next` begins a segment.
    /// Called before the encoder returns its last earlier pictures.
    func leaveOut(from end: Int64, to next: Int64)
    /// No more packets come. The layer lasts until frame `end`.
    func finish(end: Int64) throws
}
