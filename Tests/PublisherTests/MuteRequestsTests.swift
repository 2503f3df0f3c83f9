import MediaKernel
import Rooms
import Signalling
import Testing

@testable import Publisher

@Suite("What a publisher is asked to mute")
struct MuteRequestsTests {
    private typealias Request = MuteRequests.Request

    private func requests(
        _ value: Bool, type: TrackKind? = nil, source: String? = nil
    ) -> [Request] {
        MuteRequests.requests(
            of: .mutesRequested(
                MutesPayload(requestedBy: "ann", value: value, type: type, source: source)))
    }

    @Test func oneTrackIsMeantByItsName() {
        let request = TrackMutePayload(
            requestedBy: "ann", trackID: "t", streamID: "s", mute: true)
        #expect(
            MuteRequests.requests(of: .trackMuteRequested(request)) == [
                Request(isMuted: true, target: .track(id: "t"))
            ])
    }

    @Test func aKindIsMeantOrBoth() {
        let sound = Request(isMuted: true, target: .kind(isVideo: false))
        let picture = Request(isMuted: true, target: .kind(isVideo: true))
        #expect(requests(true) == [sound, picture])
        #expect(requests(true, type: .audio) == [sound])
        #expect(requests(true, type: .video, source: "regular") == [picture])
        #expect(requests(false, type: .video) == [Request(isMuted: false, target: picture.target)])
        #expect(requests(true, source: "screen").isEmpty)
    }

    @Test func theyAreTakenOnceInOrderAndTheLatestAreKept() {
        let waiting = MuteRequests()
        for number in 0..<MuteRequests.maximum {
            waiting.note(
                .mutesRequested(
                    MutesPayload(requestedBy: nil, value: number % 2 == 0, type: .audio)))
        }
        waiting.note(.mutesRequested(MutesPayload(requestedBy: nil, value: true)))
        let taken = waiting.take()
        #expect(taken.count == MuteRequests.maximum)
        #expect(taken.map(\.isMuted).suffix(3) == [false, true, true])
        #expect(waiting.take().isEmpty)
    }
}
