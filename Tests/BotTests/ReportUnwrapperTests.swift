import MediaKernel
import RTP
import Testing

@testable import Bot

@Suite struct ReportUnwrapperTests {
    private let ntp = NTPTime(rawValue: 1 << 40)
    private let arrival = Instant.zero + .seconds(1)

    @Test func aReportBeforeTheFirstFrameWaitsForIt() {
        var unwrapper = ReportUnwrapper()
        let early = unwrapper.report(ntp: ntp, rtpTimestamp: 900, at: arrival)
        #expect(early == nil)
        let released = unwrapper.delivered(timestamp: 1000)
        #expect(released == .init(ntp: ntp, timestamp: 900, arrival: arrival))
        let again = unwrapper.delivered(timestamp: 1100)
        #expect(again == nil, "once")
    }

    @Test func reportsAreUnwrappedNearTheNewestFrame() {
        var unwrapper = ReportUnwrapper()
        let wrap = Int64(1) << 32
        _ = unwrapper.delivered(timestamp: wrap + 10)
        let before = unwrapper.report(ntp: ntp, rtpTimestamp: .max, at: arrival)
        #expect(before?.timestamp == wrap - 1)
        let after = unwrapper.report(ntp: ntp, rtpTimestamp: 30, at: arrival)
        #expect(after?.timestamp == wrap + 30)
    }
}
