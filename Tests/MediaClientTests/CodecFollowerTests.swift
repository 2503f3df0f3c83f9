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

    @Test func aTrackIsInTheCodecOfItsPackets() {
        var follower = CodecFollower()
        follower.follow(description())
        let same = follower.track(track, of: packet(41), at: start)
        #expect(same?.0.codec == av1 && same?.isChanged == false)
        let other = follower.track(track, of: packet(100), at: start)
        #expect(other?.0.codec == vp8 && other?.isChanged == true)
        var changed = track
        changed.codec = vp8
        // What carries no media is passed over, and a repair is of the codec that it repairs.
        let noise = follower.track(changed, of: packet(13), at: start)
        #expect(noise == nil)
        let repair = follower.track(changed, of: packet(41, isRetransmission: true), at: start)
        #expect(repair?.0.codec == vp8 && repair?.isChanged == false)
    }

    @Test func eachChangeWaitsForAWhile() {
        var follower = CodecFollower()
        follower.follow(description())
        _ = follower.track(track, of: packet(100), at: start)
        var changed = track
        changed.codec = vp8
        let soon = start + CodecFollower.changeInterval - .milliseconds(1)
        let early = follower.track(changed, of: packet(41), at: soon)
        // A newer description changes nothing in that.
        follower.follow(description())
        let again = follower.track(changed, of: packet(41), at: soon)
        #expect(early == nil && again == nil)
        let late = start + CodecFollower.changeInterval
        let back = follower.track(changed, of: packet(41), at: late)
        #expect(back?.isChanged == true)
    }

    @Test func withoutADescriptionTracksStayAsTheyAre() {
        var follower = CodecFollower()
        let kept = follower.track(track, of: packet(100), at: start)
        #expect(kept?.0 == track && kept?.isChanged == false)
    }
}
