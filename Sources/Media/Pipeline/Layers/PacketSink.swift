import Codec

/// Takes what is encoded of one layer: writes it into segments, or passes it on.
///
/// Called on the layer's thread. Whoever may have to wait for somebody does so on a thread of its own,
/// behind a bounded queue: the other sinks wait for each.
protocol PacketSink: AnyObject {
    /// The next picture, in decoding order.
    func take(picture packet: EncodedPacket) throws
    /// Sound may come before the pictures of its time, and behind them.
    func take(sound packets: [EncodedPacket]) throws
    /// Nothing comes from frame `end` on until `next`, which begins a segment: the stream was behind and
    /// has left that out. Said before the encoder gives its last pictures of before.
    func leaveOut(from end: Int64, to next: Int64)
    /// Everything has come. The layer lasts until frame `end`.
    func finish(end: Int64) throws
}
