import MediaKernel
import Pipeline
import Testing

@testable import Bot

@Suite struct SectionMediaTests {
    private let known: [String: SectionMedia] = [
        "0": SectionMedia(track: "voice", codec: .opus),
        "1": SectionMedia(track: "camera", codec: .vp8),
    ]

    @Test func whatIsAnnouncedAgainGoesOn() {
        var next = known
        next["2"] = SectionMedia(track: "screen", codec: .vp8)
        #expect(SectionMedia.ended(in: known, by: next).isEmpty)
    }

    @Test func whatIsNotAnnouncedHasEnded() {
        #expect(SectionMedia.ended(in: known, by: [:]).sorted() == ["0", "1"])
    }

    @Test func aSectionThatIsUsedAgainHasEndedForItsTrack() {
        var next = known
        next["1"] = SectionMedia(track: "screen", codec: .vp8)
        #expect(SectionMedia.ended(in: known, by: next) == ["1"])
    }

    @Test func aTrackThatComesBackWithAnotherCodecHasEnded() {
        var next = known
        next["1"] = SectionMedia(track: "camera", codec: .h264)
        #expect(SectionMedia.ended(in: known, by: next) == ["1"])
    }
}
