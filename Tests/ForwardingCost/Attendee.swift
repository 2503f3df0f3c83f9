import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import SecureTransport

/// A peer of the room with both of its connections.
final class Attendee {
    let id: PeerID
    let publish: PeerConnection
    let subscribe: PeerConnection
    let publishAddress: TransportAddress
    let subscribeAddress: TransportAddress
    private let isVideo: Bool
    private(set) var mid = ""
    private var number = 0

    init(_ number: Int, isVideo: Bool, identity: DTLSIdentity, at now: Instant) {
        id = PeerID("peer-\(number)")
        self.isVideo = isVideo
        func address(_ network: UInt8) -> TransportAddress {
            TransportAddress(
                ipv4: 10, network, UInt8(number / 200), UInt8(number % 200), port: 40_000)
        }
        func connection(_ address: TransportAddress, seed: Int) -> PeerConnection {
            PeerConnection(
                configuration: .init(
                    identity: identity, mode: .full(controlling: true),
                    localCandidates: [.host(address)], canonicalName: "peer", dataChannel: nil,
                    seed: UInt64(seed)),
                at: now)
        }
        publishAddress = address(1)
        subscribeAddress = address(2)
        publish = connection(publishAddress, seed: 2 * number)
        subscribe = connection(subscribeAddress, seed: 2 * number + 1)
    }

    var ends: [(core: PeerConnection, address: TransportAddress)] {
        [(publish, publishAddress), (subscribe, subscribeAddress)]
    }

    /// The offer of its camera or microphone.
    func offer(at now: Instant) throws -> SessionDescription {
        mid = try publish.add(
            OutgoingTrack(
                streamID: "stream", trackID: id.rawValue, kind: isVideo ? .video : .audio,
                codecs: [isVideo ? Self.vp8 : Self.opus],
                headerExtensions: [
                    HeaderExtensionURI.transportSequence, HeaderExtensionURI.audioLevel,
                ],
                isRepaired: isVideo))
        return try publish.createOffer(at: now)
    }

    private static let opus = CodecDescription(
        payloadType: 0, name: "opus", clockRate: 48_000, channels: 2)
    private static let vp8 = CodecDescription(
        payloadType: 0, name: "VP8", clockRate: 90_000, feedback: ["nack", "nack pli"])

    /// Sends the next packet: of speech, or a picture of one packet.
    func speak(at now: Instant) {
        publish.send(isVideo ? picture : speech, mid: mid, at: now)
        number += 1
    }

    private var speech: RTPPacket {
        var packet = packet(clock: 960, payload: [UInt8](repeating: 0xA5, count: 100))
        if let id = publish.headerExtensions[HeaderExtensionURI.audioLevel] {
            packet.extensions.set(id, AudioLevel(voice: true, level: 30).extensionBytes)
        }
        return packet
    }

    private var picture: RTPPacket {
        var descriptor = VP8PayloadDescriptor()
        descriptor.startsPartition = true
        descriptor.pictureID = UInt16(number & 0x7FFF)
        let header: [UInt8] =
            number % 50 == 0
            ? [0x10, 2, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00] : [0x11, 2, 0]
        let rest = [UInt8](repeating: 0xA5, count: 1000)
        return packet(clock: 3000, payload: descriptor.serialized() + header + rest)
    }

    private func packet(clock: Int, payload: [UInt8]) -> RTPPacket {
        RTPPacket(
            marker: isVideo, payloadType: PayloadType(0),
            sequenceNumber: SequenceNumber(extended: Int64(number + 1000)),
            timestamp: UInt32(truncatingIfNeeded: number * clock), ssrc: SSRC(0),
            payload: payload[...])
    }
}
