import HundredMS
import MediaKernel
import RemoteRoom
import Rooms
import Testing

@testable import HundredMS

@Suite("What the room asks to mute")
struct MuteRequestTests {
    private func requests(
        _ value: Bool, type: TrackKind? = nil, source: String? = nil
    ) -> [TrackMuteRequest] {
        TrackMuteRequest.requests(
            of: .mutesRequested(
                MutesPayload(requestedBy: "ann", value: value, type: type, source: source)))
    }

    @Test func oneTrackIsMeantByItsID() {
        let request = TrackMutePayload(
            requestedBy: "ann", trackID: "t", streamID: "s", mute: true)
        #expect(
            TrackMuteRequest.requests(of: .trackMuteRequested(request)) == [
                TrackMuteRequest(isMuted: true, target: .track("t"))
            ])
    }

    @Test func aKindIsMeantOrBoth() {
        let sound = TrackMuteRequest(isMuted: true, target: .kind(isVideo: false))
        let picture = TrackMuteRequest(isMuted: true, target: .kind(isVideo: true))
        #expect(requests(true) == [sound, picture])
        #expect(requests(true, type: .audio) == [sound])
        #expect(requests(true, type: .video, source: "regular") == [picture])
        #expect(
            requests(false, type: .video) == [
                TrackMuteRequest(isMuted: false, target: picture.target)
            ])
        #expect(requests(true, source: "screen").isEmpty)
    }
}
