import MediaClient
import MediaKernel
import Pipeline
import Testing

@testable import Bot

@Suite struct RawTrackTests {
    private let begin = Instant(nanoseconds: 5_000_000_000)

    private func picture(_ luma: UInt8, taken: Instant) -> RawPicture {
        RawPicture(
            width: 2, height: 2, pixels: [luma, luma, luma, luma, 128, 128], taken: taken,
            takenUnix: UnixTime(nanoseconds: 1_700_000_000_000_000_000 + taken.nanoseconds))
    }

    @Test func aPictureIsAFrameOfPixelsAtTheTimeWhenItWasTaken() {
        let taken = begin - .milliseconds(20)
        var track = RawTrack(picture(7, taken: taken), at: begin)
        let delivery = track.take(picture(7, taken: taken), at: begin)
        #expect(delivery.frame.isRaw && delivery.frame.isKeyframe)
        #expect(delivery.frame.size == IncomingFrame.Size(width: 2, height: 2))
        #expect(delivery.frame.data.count == 6)
        #expect(delivery.frame.timestamp == 4_980 * 90)
        #expect(
            delivery.ntp == NTPTime(unixNanoseconds: 1_700_000_000_000_000_000 + taken.nanoseconds))
    }

    @Test func aPictureThatStandsStillComesAgainOnceASecond() throws {
        let taken = begin - .milliseconds(20)
        var track = RawTrack(picture(7, taken: taken), at: begin)
        _ = track.take(picture(7, taken: taken), at: begin)
        let early = track.again(isWished: false, at: begin + .milliseconds(999))
        #expect(early.map { _ in true } == nil)
        let due = track.again(isWished: false, at: begin + .seconds(1))
        let again = try #require(due)
        #expect(again.frame.timestamp == 5_980 * 90, "as if taken a second later")
        let unix = 1_700_000_000_000_000_000 + taken.nanoseconds + 1_000_000_000
        #expect(again.ntp == NTPTime(unixNanoseconds: unix))
        let tooEarly = track.again(isWished: false, at: begin + .milliseconds(1100))
        #expect(tooEarly.map { _ in true } == nil)
    }

    @Test func aTakerThatAsksGetsThePictureAtOnce() {
        var track = RawTrack(picture(7, taken: begin), at: begin)
        _ = track.take(picture(7, taken: begin), at: begin)
        let again = track.again(isWished: true, at: begin + .milliseconds(50))
        #expect(again?.frame.timestamp == Int64(5_050 * 90))
        #expect(again.map { $0.ntp == nil } == true, "reports come once a second")
    }
}
