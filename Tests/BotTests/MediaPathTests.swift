import MediaKernel
import PeerConnection
import Testing

@testable import Bot

struct MediaPathTests {
    private func at(_ seconds: Double) -> Instant {
        .zero + .milliseconds(Int(seconds * 1000))
    }

    @Test func thePictureBeginsWithTheFirstConnection() {
        var path = MediaPath(lossMaximum: .seconds(30))
        path.joined(at: at(0))
        #expect(path.changed(to: .connecting, at: at(0.1)) == nil)
        #expect(path.changed(to: .connected, at: at(0.2)) == .opened)
        // Signalling or the connection has been restored: the picture goes on.
        path.joined(at: at(5))
        #expect(path.changed(to: .connected, at: at(5)) == nil)
        #expect(path.reasonToGiveUp(at: at(100_000)) == nil)
    }

    @Test func whoseMediaNeverComeGivesUp() {
        var path = MediaPath(lossMaximum: .seconds(30))
        #expect(path.reasonToGiveUp(at: at(100)) == nil, "not in the room yet")
        path.joined(at: at(1))
        #expect(path.changed(to: .failed, at: at(2)) == nil)
        #expect(path.reasonToGiveUp(at: at(8.9)) == nil)
        #expect(
            path.reasonToGiveUp(at: at(9))
                == "no media path to the server within 8.0 seconds")
    }

    @Test(arguments: [PeerConnectionState.disconnected, .failed])
    func aLossIsWaitedFor(_ loss: PeerConnectionState) {
        var path = MediaPath(lossMaximum: .seconds(30))
        path.joined(at: at(0))
        _ = path.changed(to: .connected, at: at(0.2))
        #expect(path.changed(to: loss, at: at(10)) == .lost)
        // Reported once, and counted from the first.
        #expect(path.changed(to: .failed, at: at(20)) == nil)
        #expect(path.reasonToGiveUp(at: at(39.9)) == nil)
        #expect(path.reasonToGiveUp(at: at(40)) != nil)
        #expect(path.changed(to: .connected, at: at(41)) == nil)
        #expect(path.reasonToGiveUp(at: at(1000)) == nil)
        #expect(path.changed(to: loss, at: at(1000)) == .lost)
    }

    @Test func aSourceIsAwaitedForLonger() {
        var path = MediaPath(lossMaximum: .seconds(100))
        _ = path.changed(to: .connected, at: at(0))
        _ = path.changed(to: .disconnected, at: at(10))
        #expect(path.reasonToGiveUp(at: at(109)) == nil)
        #expect(path.reasonToGiveUp(at: at(110)) != nil)
    }
}
