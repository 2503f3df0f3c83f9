import MediaKernel
import RemoteRoom
import Testing

@testable import Publisher

@Suite("What a publisher is asked to mute")
struct MuteRequestsTests {
    @Test func theyAreTakenOnceInOrderAndTheLatestAreKept() {
        let waiting = MuteRequests()
        for number in 0..<MuteRequests.maximum {
            waiting.note(
                TrackMuteRequest(isMuted: number.isMultiple(of: 2), target: .kind(isVideo: false)))
        }
        waiting.note(TrackMuteRequest(isMuted: true, target: .kind(isVideo: false)))
        waiting.note(TrackMuteRequest(isMuted: true, target: .kind(isVideo: true)))
        let taken = waiting.take()
        #expect(taken.count == MuteRequests.maximum)
        #expect(taken.map(\.isMuted).suffix(3) == [false, true, true])
        #expect(waiting.take().isEmpty)
    }
}
