import MediaKernel
import RTP

/// One outgoing track: its ids in the room and its RTP numbers.
struct OutboundTrack {
    let trackID: String
    let isVideo: Bool
    private let clockRate: Int
    private var packetizer: any Packetizer
    private var sequence: SequenceNumber
    private let firstTimestamp: UInt32

    /// Packets and time until the numbers wrap, if they are to wrap soon.
    private static let packetsToWrap: UInt16 = 200
    private static let secondsToWrap = 5

    init(trackID: String, codec: MediaCodec, wrapsSoon: Bool) {
        self.trackID = trackID
        isVideo = codec.isVideo
        clockRate = codec.clockRate
        packetizer = codec.makePacketizer()
        sequence = SequenceNumber(
            wrapsSoon ? .max - Self.packetsToWrap : .random(in: SequenceNumber.beginnings))
        firstTimestamp =
            wrapsSoon
            ? .max - UInt32(codec.clockRate * Self.secondsToWrap)
            : .random(in: 0...UInt32.max)
    }

    /// The timestamp of a time on the publisher's clock, counted from its start.
    func timestamp(_ time: Duration) -> UInt32 {
        let exact = MediaTime(ticks: time.nanoseconds, timescale: 1_000_000_000)
        return firstTimestamp
            &+ UInt32(truncatingIfNeeded: exact.rescaled(to: Int32(clockRate)).ticks)
    }

    /// The packets of a frame; the last one has the marker, if the frame's format has one.
    mutating func packets(of frame: MediaFile.Frame, at time: Duration) -> [RTPPacket] {
        let timestamp = timestamp(time)
        return packetizer.packetize(frame: frame.data, isKeyframe: frame.isKeyframe).map { part in
            defer { sequence = sequence.advanced(by: 1) }
            return RTPPacket(
                marker: part.marker, payloadType: PayloadType(0), sequenceNumber: sequence,
                timestamp: timestamp, ssrc: SSRC(0), payload: part.payload[...])
        }
    }
}
