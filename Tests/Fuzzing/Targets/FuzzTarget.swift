import Foundation
import HLS
import ICE
import MediaKernel
import RTP
import Recording
import SDP

/// A parser of untrusted bytes. libFuzzer ends the process if one traps, is slow or grows.
enum FuzzTarget: String {
    case rtp, rtcp, depacketizers, stun, candidate, sdp, playlist, json
    case segment, fragment
    case segmentRecord = "segment-record"

    func take(_ bytes: [UInt8]) throws {
        switch self {
        case .rtp: try parseRTP(bytes)
        case .rtcp:
            let packets = try RTCPPacket.parseCompound(bytes)
            _ = try RTCPPacket.parseCompound(RTCPPacket.serialize(packets))
        case .depacketizers: try assemble(bytes)
        case .stun: _ = try STUNMessage(parsing: bytes)
        case .candidate: _ = try ICECandidate(parsing: text(bytes))
        case .sdp: try parseSDP(text(bytes))
        case .playlist: try parsePlaylist(bytes)
        case .json:
            _ = try JSONDocument.decode(JSONValue.self, from: bytes)
            _ = try JSONEncoder().encode(JSONDocument.decode(OpaqueJSON.self, from: bytes))
        case .segment:
            let clock = SegmentClock(frameRate: 30, origin: 90_000, firstFrame: 60)
            _ = try SegmentSamples(parsing: bytes, clock: clock)
        case .fragment:
            let clock = SegmentClock(frameRate: 30, origin: 90_000, firstFrame: 60)
            _ = try SegmentSamples(
                fragments: bytes, clock: clock, parameterSets: nil,
                format: SoundFormat(sampleRate: 48_000, channels: 2))
        case .segmentRecord: _ = SegmentRecord(line: text(bytes))
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func parseRTP(_ bytes: [UInt8]) throws {
        let packet = try RTPPacket(parsing: bytes)
        _ = try RTPPacket(parsing: packet.serialized())
        for codec in MediaCodec.allCases where codec != .opus {
            var receiver = VideoReceiver(codec: codec)
            receiver.handle(packet, at: .zero)
            while receiver.poll() != nil {}
        }
    }

    /// The bytes are payloads, each preceded by its length in two bytes.
    private func assemble(_ bytes: [UInt8]) throws {
        var payloads: [ArraySlice<UInt8>] = []
        var rest = bytes.dropFirst()
        while rest.count > 2, payloads.count < 64 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let payload = rest.dropFirst(2).prefix(max(1, length))
            payloads.append(payload)
            rest = rest.dropFirst(2 + payload.count)
        }
        guard !payloads.isEmpty, let first = bytes.first else { return }
        let codecs = MediaCodec.allCases
        var depacketizer = codecs[Int(first) % codecs.count].makeDepacketizer()
        _ = depacketizer.beginsFrame(payloads[0])
        _ = try depacketizer.assemble(payloads)
    }

    private func parseSDP(_ text: String) throws {
        let description = try SessionDescription.parse(text)
        let rendered = description.rendered()
        let again = try SessionDescription.parse(rendered).rendered()
        precondition(again == rendered, "what is rendered reads as something else")
    }

    private func parsePlaylist(_ bytes: [UInt8]) throws {
        _ = PlaylistOutline(bytes)
        _ = try? MasterPlaylist(parsing: text(bytes))
        _ = try MediaPlaylist(parsing: text(bytes))
    }
}
