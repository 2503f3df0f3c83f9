import MediaKernel
import RTP
import SDP
import Testing

@testable import MediaClient
@testable import PeerConnection

@Suite struct CodecFollowerTests {
    private let start = Instant.zero + .seconds(1)
    private let vp8 = CodecDescription(payloadType: 100, name: "VP8", clockRate: 90_000)
    private let av1 = CodecDescription(payloadType: 41, name: "AV1", clockRate: 90_000)

    private func description(mid: String = "s1") -> SessionDescription {
        let noise = CodecDescription(payloadType: 13, name: "CN", clockRate: 8000)
        return SessionDescription(media: [
            MediaSection(kind: .video, mid: mid, rtp: RTPDescription(codecs: [av1, vp8, noise]))
        ])
    }

    private var track: IncomingTrack {
        IncomingTrack(
            mid: "s1", streamID: "a", trackID: "a-v0", kind: .video, codec: av1, isSending: true)
    }

    private func packet(_ payloadType: UInt8, isRetransmission: Bool = false) -> IncomingPacket {
        IncomingPacket(
            mid: "s1", section: SectionIndex(0), encoding: 0,
            packet: RTPPacket(
                payloadType: PayloadType(payloadType), sequenceNumber: SequenceNumber(extended: 0),
                timestamp: 0, ssrc: SSRC(1), payload: [0]),
            isRetransmission: isRetransmission)
    }

    private func changed(to codec: CodecDescription) -> IncomingTrack {
        var changed = track
        changed.change(to: codec)
        return changed
    }

    @Test func aTrackIsInTheCodecOfItsPackets() {
        var follower = CodecFollower()
        follower.follow(description())
        let same = follower.decide(on: packet(41), of: track, at: start)
        let other = follower.decide(on: packet(100), of: track, at: start)
        #expect(same == .keep && other == .change(vp8))
        let changed = changed(to: vp8)
        // What carries no media is passed over, and a repair is of the codec that it repairs.
        let noise = follower.decide(on: packet(13), of: changed, at: start)
        let repair = follower.decide(
            on: packet(41, isRetransmission: true), of: changed, at: start)
        #expect(noise == .drop && repair == .keep)
    }

    @Test func eachChangeWaitsForAWhile() {
        var follower = CodecFollower()
        follower.follow(description())
        _ = follower.decide(on: packet(100), of: track, at: start)
        let changed = changed(to: vp8)
        let soon = start + CodecFollower.changeInterval - .milliseconds(1)
        let early = follower.decide(on: packet(41), of: changed, at: soon)
        // A newer description changes nothing in that.
        follower.follow(description())
        let again = follower.decide(on: packet(41), of: changed, at: soon)
        #expect(early == .drop && again == .drop)
        let late = start + CodecFollower.changeInterval
        let back = follower.decide(on: packet(41), of: changed, at: late)
        #expect(back == .change(av1))
    }

    @Test func withoutADescriptionTracksStayAsTheyAre() {
        var follower = CodecFollower()
        let kept = follower.decide(on: packet(100), of: track, at: start)
        #expect(kept == .keep)
    }

    @Test func aNewDescriptionKeepsTheCodecThatItStillHas() {
        var follower = CodecFollower()
        follower.follow(description())
        let known = changed(to: vp8)
        #expect(follower.renewed(track, known: known) == known)
        #expect(follower.renewed(track, known: nil) == track)
        var other = known
        other.trackID = "b-v0"
        #expect(follower.renewed(track, known: other) == track)
    }

    @Test func aPayloadTypeThatMeansAnotherCodecNowIsNotKept() {
        let known = changed(to: vp8)
        for codecs in [
            [av1], [av1, CodecDescription(payloadType: 100, name: "H264", clockRate: 90_000)],
        ] {
            var follower = CodecFollower()
            follower.follow(
                SessionDescription(media: [
                    MediaSection(kind: .video, mid: "s1", rtp: RTPDescription(codecs: codecs))
                ]))
            #expect(follower.renewed(track, known: known) == track)
        }
    }
}
