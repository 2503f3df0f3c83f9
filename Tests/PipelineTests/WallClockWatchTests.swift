import MediaKernel
import Testing

@testable import Pipeline

@Suite struct WallClockWatchTests {
    @Test func eachStepIsToldOnce() {
        var watch = WallClockWatch()
        let start = UnixTime(seconds: 1_760_000_000)
        // Seconds since the beginning, and the wall clock's lead at that time.
        let rows: [(second: Int, ahead: Double, told: Double?)] = [
            (0, 0, nil), (2, 0.9, nil), (4, -0.9, nil), (6, 1.5, 1.5), (8, 1.5, nil),
            (10, 1.5, nil), (12, -3600, -3601.5), (14, -3600, nil), (16, 0, 3600),
        ]
        for row in rows {
            let wall = start + .seconds(row.second) + .milliseconds(Int64(row.ahead * 1000))
            let told = watch.observe(wall: wall, at: .zero + .seconds(100 + row.second))
            #expect(told == row.told.map { .milliseconds(Int64($0 * 1000)) }, "\(row)")
        }
    }
}
