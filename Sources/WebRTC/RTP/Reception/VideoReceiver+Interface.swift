/// What a video receiver is told, what it says, and what it counts.
extension VideoReceiver {
    public struct Configuration: Sendable {
        /// Sequence numbers held at once, 512 ... 32768; beyond that the oldest hole is given up.
        public var packetsMaximum = 2048
        /// A frame with more bytes than this is dropped like a broken one.
        public var frameBytesMaximum = 4 << 20
        /// The id of the video orientation extension, when negotiated.
        public var videoOrientationID: UInt8?
        /// How lost packets are asked for, and when they are given up.
        public var repair = NACKGenerator.Configuration()

        public init() {}
    }

    public enum Output: Hashable, Sendable {
        case frame(EncodedFrame)
        /// Ask the sender for these packets.
        case nack([SequenceNumber])
        /// Ask the sender for a key frame. Repeated at growing pauses while there is none.
        case keyframeNeeded
    }

    /// What became of the packets and frames so far.
    public struct Counters: Hashable, Sendable {
        public var framesDelivered: UInt64 = 0
        public var keyframesDelivered: UInt64 = 0
        /// Packets that came again while the first copy was still held.
        public var duplicates: UInt64 = 0
        /// Packets for which it was too late; second copies of used ones are among them.
        public var late: UInt64 = 0
        /// Frames whose packets were all there and did not make a frame.
        public var framesBroken: UInt64 = 0
        /// Times that the stream went on only at a later key frame.
        public var holesGivenUp: UInt64 = 0
        /// Times that the stream began anew.
        public var restarts: UInt64 = 0
    }
}
