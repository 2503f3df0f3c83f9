import MediaKernel
import Stage
import Testing

@Suite struct SourceClockFaultTests {
    private func settled(
        seed: UInt64 = 2, change: (inout SimulatedPeer.Conditions) -> Void = { _ in }
    ) -> SimulatedPeer {
        var conditions = SimulatedPeer.Conditions()
        change(&conditions)
        var peer = SimulatedPeer(conditions, seed: seed)
        peer.run(seconds: 30)
        peer.resetMeasures()
        return peer
    }

    @Test func withoutReportsArrivalTimeServes() {
        let peer = settled {
            $0.audioReports = nil
            $0.videoReports = nil
        }
        // The difference in encoding delay remains, 15 ms.
        #expect(abs(peer.skew ?? 1) <= 0.030)
        #expect(!peer.clock.isSynchronized(SimulatedPeer.audio))
    }

    @Test func theFirstReportsSlewAndSyncIsReachedWithinThreeSeconds() {
        var conditions = SimulatedPeer.Conditions()
        conditions.audioEncoding = 0.120
        conditions.videoEncoding = 0.010
        conditions.firstReport = 6
        conditions.audioReports = 1
        var peer = SimulatedPeer(conditions, seed: 9)
        peer.run(seconds: 6)
        #expect(abs(peer.skew ?? 0) > 0.080, "arrival alone cannot know")
        peer.resetMeasures()
        peer.run(seconds: 4)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        #expect(peer.fastestChange <= 0.2 && !peer.wentBackwards)
        #expect(peer.clock.isSynchronized(SimulatedPeer.audio))
    }

    @Test func aTrackFarBehindDelaysTheWholePeer() {
        let peer = settled {
            $0.audioEncoding = 0.200
            $0.videoEncoding = 0.010
        }
        #expect(abs(peer.skew ?? 1) <= 0.020)
        // The audio's fastest packets take 240 ms and have a reserve of 60 ms.
        #expect(abs((peer.audioError ?? 0) - 0.300) <= 0.010)
    }

    @Test func reportsThatStopChangeNothing() {
        var peer = settled()
        peer.conditions.audioReports = nil
        peer.conditions.videoReports = nil
        peer.run(seconds: 120)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        #expect(peer.fastestChange <= 0.021)
    }

    @Test(arguments: [0.25, -0.8, 3, -4, 90, -3600])
    func settingThePeersWallClockMovesNothing(step: Double) {
        var peer = settled()
        peer.wallClockStep = step
        var worst = 0.0
        peer.run(seconds: 90) { worst = max(worst, abs($0.skew ?? 1)) }
        #expect(worst <= 0.020, "|A−V| \(worst) s after a step of \(step) s")
        #expect(peer.fastestChange <= 0.021)
        #expect(!peer.wentBackwards)
    }

    @Test(arguments: [0.3, -2, 7, -100])
    func aFewWrongReportsAreIgnored(error: Double) {
        var peer = settled()
        peer.audioReportError = error
        var worst = 0.0
        peer.run(seconds: 5) { worst = max(worst, abs($0.skew ?? 1)) }
        peer.audioReportError = 0
        peer.run(seconds: 60) { worst = max(worst, abs($0.skew ?? 1)) }
        #expect(worst <= 0.020, "|A−V| \(worst) s")
        #expect(peer.fastestChange <= 0.021)
    }

    @Test func twoAbsurdReportsAreNotEnough() {
        var peer = settled {
            $0.audioReports = 2
            $0.audioEncoding = 0.100
        }
        peer.audioReportError = -40
        var worst = 0.0
        peer.run(seconds: 4) { worst = max(worst, abs($0.skew ?? 1)) }
        peer.audioReportError = 0
        peer.run(seconds: 30) { worst = max(worst, abs($0.skew ?? 1)) }
        #expect(worst <= 0.020, "|A−V| \(worst) s")
    }

    @Test(arguments: [5.0, -30])
    func reportsThatAreAlwaysAbsurdLeaveArrivalTime(error: Double) {
        var peer = SimulatedPeer(SimulatedPeer.Conditions(), seed: 4)
        peer.audioReportError = error
        peer.run(seconds: 60)
        #expect(abs(peer.skew ?? 1) <= 0.030)
    }

    @Test(arguments: [UInt64](1...8))
    func reportsThatContradictEachOtherLeaveArrivalTime(seed: UInt64) {
        var conditions = SimulatedPeer.Conditions()
        conditions.reportNoise = 0.400
        conditions.audioReports = 1
        var peer = SimulatedPeer(conditions, seed: seed)
        peer.run(seconds: 8)
        var skews: [Double] = []
        peer.run(seconds: 60) { skews.append(abs($0.skew ?? 1)) }
        #expect(skews.sorted()[54] <= 0.045, "\(skews)")
        // Once they are right, they count again.
        peer.conditions.reportNoise = 0.003
        peer.run(seconds: 15)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        #expect(peer.clock.isSynchronized(SimulatedPeer.audio))
    }

    @Test(arguments: [0.1, 0.4])
    func aSoundCardThatStoodStillIsFollowedByTheReports(seconds: Double) {
        var peer = settled { $0.audioReports = 2 }
        let before = peer.videoError ?? 0
        peer.audioStall = seconds
        var earliest = 1.0
        peer.run(seconds: 15) { earliest = min(earliest, $0.videoError ?? 0) }
        #expect(abs(peer.skew ?? 1) <= 0.020)
        // Delays from before the stall must not affect the picture.
        #expect(earliest >= before - 0.020, "picture early by \(before - earliest) s")
        #expect(!peer.wentBackwards)
    }

    @Test(arguments: [10.0, 11.5, 120])
    func anOutageIsResumedWhereItWas(seconds: Double) {
        var peer = settled { $0.audioDrift = 200 }
        let before = peer.videoError ?? 0
        peer.isSilent = true
        peer.run(seconds: seconds)
        peer.isSilent = false
        peer.run(seconds: 3)
        #expect(abs(peer.skew ?? 1) <= 0.040)
        peer.run(seconds: 10)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        #expect(abs((peer.videoError ?? 0) - before) <= 0.030)
        #expect(!peer.wentBackwards)
    }

    @Test(arguments: [300.0, -300])
    func afterALongSilenceThereIsNothingToSlewFrom(drift: Double) {
        var peer = settled {
            $0.ntpDrift = drift
            $0.audioDrift = drift
            $0.videoDrift = drift
        }
        let before = peer.videoError ?? 0
        peer.isSilent = true
        peer.run(seconds: 6000)
        peer.isSilent = false
        peer.run(seconds: 1)
        #expect(abs((peer.videoError ?? 0) - before) <= 0.040)
        #expect(abs(peer.skew ?? 1) <= 0.040)
        #expect(!peer.wentBackwards)
    }

    @Test func aLongerWayIsFollowedAndSoIsItsEnd() {
        var peer = settled()
        let before = peer.videoError ?? 0
        peer.congestion = 0.600
        peer.run(seconds: 6)
        #expect((peer.videoError ?? 0) - before > 0.500, "what is late for good is waited for")
        peer.run(seconds: 9)
        #expect(abs((peer.videoError ?? 0) - before - 0.600) <= 0.050)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        peer.congestion = 0
        peer.run(seconds: 15)
        #expect(abs((peer.videoError ?? 0) - before) <= 0.030)
        #expect(abs(peer.skew ?? 1) <= 0.020)
        #expect(!peer.wentBackwards)
    }
}
