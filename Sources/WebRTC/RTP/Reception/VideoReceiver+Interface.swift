/// The configuration, output and counters of a video receiver.
extension VideoReceiver {
    public struct Configuration: Sendable {
        /// The most sequence numbers held at once, 512 ... 32768; beyond that the oldest hole is
        /// given up.
        public var packetsMaximum = 2048
        /// A larger frame is dropped like a broken one.
        public var frameBytesMaximum = 4 << 20
        /// The id of the video orientation extension, if negotiated.
        public var videoOrientationID: UInt8?
        /// How lost packets are requested, and when they are given up.
        public var repair = NACKGenerator.Configuration()

        public init() {}
    }

    public enum Output: Hashable, Sendable {
        case frame(EncodedFrame)
        /// Request retransmission of these packets.
        case nack([SequenceNumber])
        /// Request a key frame from the sender. Repeated at growing intervals until one arrives.
        case keyframeNeeded
    }

    /// Counts of packets and frames so far.
    public struct Counters: Hashable, Sendable {
        public var framesDelivered: UInt64 = 0
        public var keyframesDelivered: UInt64 = 0
        /// Packets that arrived again while the first copy was still held.
        public var duplicates: UInt64 = 0
        /// Packets that arrived too late, including second copies of used ones.
        public var late: UInt64 = 0
        /// Frames whose packets were complete but did not form a frame.
        public var framesBroken: UInt64 = 0
        /// How often the stream could only continue at a later key frame.
        public var holesGivenUp: UInt64 = 0
        /// How often the stream restarted.
        public var restarts: UInt64 = 0
    }
}
