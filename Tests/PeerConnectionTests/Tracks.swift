import MediaKernel
import PeerConnection
import RTP
import SDP

extension OutgoingTrack {
    static func audio(_ id: String = "voice", stream: String = "ann") -> OutgoingTrack {
        OutgoingTrack(
            streamID: stream, trackID: id, kind: .audio,
            codecs: [
                CodecDescription(
                    payloadType: 0, name: "opus", clockRate: 48_000, channels: 2,
                    parameters: [FormatParameter("minptime", "10")])
            ], headerExtensions: [HeaderExtensionURI.audioLevel], isRepaired: false)
    }

    static func video(
        _ id: String = "camera", stream: String = "ann", codecs: [String] = ["VP8"],
        extensions: [String] = [HeaderExtensionURI.videoOrientation]
    ) -> OutgoingTrack {
        OutgoingTrack(
            streamID: stream, trackID: id, kind: .video,
            codecs: codecs.map {
                CodecDescription(
                    payloadType: 0, name: $0, clockRate: 90_000,
                    feedback: ["transport-cc", "ccm fir", "nack", "nack pli"])
            }, headerExtensions: extensions, isRepaired: true)
    }
}

/// A packet from a caller: the connection sets payload type and SSRC.
func packet(
    _ number: Int, timestamp: UInt32? = nil, marker: Bool = false, ssrc: UInt32 = 0,
    payloadType: UInt8 = 0, extensions: [UInt8: [UInt8]] = [:], payload: [UInt8]? = nil
) -> RTPPacket {
    var headers = HeaderExtensions()
    for (id, bytes) in extensions { headers.set(id, bytes) }
    let payload = payload ?? [UInt8(truncatingIfNeeded: number), 0xAB, 0xCD]
    return RTPPacket(
        marker: marker, payloadType: PayloadType(payloadType),
        sequenceNumber: SequenceNumber(extended: Int64(number)),
        timestamp: timestamp ?? UInt32(truncatingIfNeeded: number * 3000), ssrc: SSRC(ssrc),
        extensions: headers, payload: payload[...])
}

extension Wire {
    /// Sends packets with these numbers at once.
    func send(_ numbers: some Sequence<Int>, mid: String, from side: Side) {
        for number in numbers { end(side).core.send(packet(number), mid: mid, at: now) }
    }
}
