import MediaKernel
import Stage
import Testing

/// Two simulated hours, stepped in seconds: |A−V| stays within 20 ms and nothing jumps.
@Suite struct SourceClockDriftTests {
    private static let hours = 7200.0

    @Test(arguments: [
        (300.0, 300.0, 300.0), (-300, -300, -300), (300, -300, 0), (0, 300, -300),
    ])
    func soundAndPictureStayTogetherForTwoHours(
        ntp: Double, audio: Double, video: Double
    ) {
        var conditions = SimulatedPeer.Conditions()
        conditions.ntpDrift = ntp
        conditions.audioDrift = audio
        conditions.videoDrift = video
        conditions.videoInterval = 0.25
        conditions.audioInterval = 0.25
        var peer = SimulatedPeer(conditions, seed: 11)
        // Another test covers the change-over to reports.
        peer.run(seconds: 15)
        peer.resetMeasures()
        var worst = 0.0
        var latest = 0.0
        var earliest = 1.0
        peer.run(seconds: Self.hours) {
            worst = max(worst, abs($0.skew ?? 1))
            latest = max(latest, $0.videoError ?? 9)
            earliest = min(earliest, $0.videoError ?? 0)
        }
        #expect(worst <= 0.020, "|A−V| \(worst) s")
        // The shortest path takes 55 ms and the playout delay is 150 ms.
        #expect(earliest >= 0.190 && latest <= 0.230, "\(earliest)...\(latest)")
        #expect(peer.fastestChange <= 0.021, "changed by \(peer.fastestChange) s/s")
        #expect(!peer.wentBackwards)
    }

    @Test func heavyJitterAndLossDoNotPartThem() {
        var conditions = SimulatedPeer.Conditions()
        conditions.jitter = 0.030
        conditions.lossShare = 0.10
        conditions.audioDrift = 120
        var peer = SimulatedPeer(conditions, seed: 5)
        peer.run(seconds: 15)
        peer.resetMeasures()
        var worst = 0.0
        peer.run(seconds: 600) { worst = max(worst, abs($0.skew ?? 1)) }
        #expect(worst <= 0.020, "|A−V| \(worst) s")
        #expect(peer.fastestChange <= 0.041)
        #expect(!peer.wentBackwards)
    }

    @Test func theSameInputGivesTheSameOutput() {
        func run() -> (Double?, Double?) {
            var peer = SimulatedPeer(SimulatedPeer.Conditions(), seed: 3)
            peer.run(seconds: 60)
            return (peer.audioError, peer.videoError)
        }
        #expect(run() == run())
    }
}
