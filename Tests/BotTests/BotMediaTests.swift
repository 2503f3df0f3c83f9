import MediaClient
import MediaKernel
import Pipeline
import RTP
import SDP
import Synchronization
import Testing

@testable import Bot
@testable import PeerConnection

@Suite struct BotMediaTests {
    private static let voice = IncomingTrack(
        mid: "0", streamID: "s", trackID: "voice", kind: .audio,
        codec: CodecDescription(payloadType: 111, name: "opus", clockRate: 48_000, channels: 2),
        isSending: true)

    private func packet(_ number: Int) -> IncomingPacket {
        IncomingPacket(
            mid: "0", section: SectionIndex(0), encoding: 0,
            packet: RTPPacket(
                marker: false, payloadType: PayloadType(111),
                sequenceNumber: SequenceNumber(extended: Int64(number)),
                timestamp: UInt32(number * 960), ssrc: SSRC(1), payload: [UInt8(number)][...]),
            isRetransmission: false)
    }

    @Test func everyTakerGetsEveryFrameOfATrack() {
        let takers = [NotingTaker(), NotingTaker()]
        let media = BotMedia(takers: takers, wishes: BotMedia.Wishes())
        let now = Instant.zero + .seconds(1)
        media.incomingTracksChanged([Self.voice], at: now)
        for number in 1...3 { media.received(packet(number), of: Self.voice, at: now) }
        media.senderReport(
            of: Self.voice, ntp: NTPTime(unixNanoseconds: 0), rtpTimestamp: 2880, at: now)
        media.incomingTracksChanged([], at: now)
        for taker in takers {
            #expect(
                taker.noted == ["voice began opus", "[1]", "[2]", "[3]", "report", "voice ended"])
        }
    }

    @Test func picturesOfPixelsBecomeATrackAndComeAgainToWhoeverAsks() {
        let taker = NotingTaker()
        let wishes = BotMedia.Wishes()
        let media = BotMedia(takers: [taker], wishes: wishes)
        let now = Instant.zero + .seconds(1)
        let picture = RawPicture(
            width: 2, height: 2, pixels: [1, 1, 1, 1, 2, 2], taken: now,
            takenUnix: UnixTime(nanoseconds: 1_000_000_000))
        media.received(picture, of: "picture", at: now)
        media.tick(at: now + .milliseconds(10))
        wishes.add("other")
        media.tick(at: now + .milliseconds(20))
        wishes.add("picture")
        media.tick(at: now + .milliseconds(30))
        let pixels = "[1, 1, 1, 1, 2, 2]"
        #expect(taker.noted == ["picture began i420", pixels, "report", pixels])
    }
}

private final class NotingTaker: TrackTaker {
    private let notes = Mutex<[String]>([])

    var noted: [String] { notes.withLock { $0 } }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    func mediaBegan(_ track: TrackID, codec: SourceCodec) { note("\(track) began \(codec)") }
    func mediaEnded(_ track: TrackID) { note("\(track) ended") }
    func receive(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool) { note("\(frame.data)") }
    func audioLost(_ track: TrackID, from timestamp: Int64) { note("lost") }
    func senderReport(_ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant) {
        note("report")
    }
}
