import Clocks
import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

/// A video whose publisher has no RTX, and repeats requested packets unchanged.
@Suite struct RepairedVideoTests {
    private let track: ForwardedTrack
    private let begin = MonotonicClock.now

    init() throws {
        let identity = try DTLSIdentity.generate()
        let now = begin
        func end(_ mode: ICEAgent.Mode) -> PeerConnection {
            PeerConnection(
                configuration: .init(
                    identity: identity, mode: mode, localCandidates: [], canonicalName: "end",
                    dataChannel: nil, seed: 1),
                at: now)
        }
        var camera = OutgoingTrack.video("camera")
        camera.isRepaired = false
        let (publisher, server) = (end(.full(controlling: true)), end(.lite))
        _ = try publisher.add(camera)
        _ = try server.answer(try publisher.createOffer(at: now), at: now)
        track = ForwardedTrack(
            id: "camera", publisher: "ann", incoming: try #require(server.incomingTracks.first),
            codec: .vp8)
    }

    /// Passes a packet of the publisher through the server; returns the subscriber's packet.
    private func arrive(
        _ number: Int, _ forwarder: inout LayerForwarder, at now: Instant
    ) -> UInt16? {
        let packet = LayerPacket.vp8(number, picture: number, isKey: number == 10).packet
        guard track.encodings[0].isNew(packet) else { return nil }
        let summary = PayloadSummary(payload: packet.payload, codec: .vp8)
        _ = track.received(packet, encoding: 0, summary: summary, at: now)
        let sent = forwarder.forwarded(packet, encoding: 0, summary: summary, report: nil, at: now)
        return sent?.sequenceNumber.rawValue
    }

    @Test func whetherLossIsRepairedIsAsItsDescriptionSays() {
        #expect(track.repairsLoss)
        track.incoming.codec.feedback = []
        #expect(!track.repairsLoss)
        track.incoming.rtxPayloadType = 97
        #expect(track.repairsLoss)
    }

    @Test func whatIsLostIsAskedForAndItsRepeatTakesItsPlaceOnce() {
        var forwarder = LayerForwarder(
            clockRate: 90_000, isVideo: true, wanted: LayerChoice(encoding: 0))
        #expect(track.incoming.rtxPayloadType == nil)
        var sent: [UInt16?] = []
        for number in [10, 11, 13] { sent.append(arrive(number, &forwarder, at: begin)) }
        let asked = track.encodings[0].nacks.poll(at: begin + .milliseconds(20))
        #expect(asked == [SequenceNumber(12)])
        for number in [12, 12, 14] {
            sent.append(arrive(number, &forwarder, at: begin + .milliseconds(60)))
        }
        #expect(sent == [10, 11, 13, 12, nil, 14])
        let rest = track.encodings[0].nacks.poll(at: begin + .milliseconds(200))
        #expect(rest.isEmpty)
    }
}
