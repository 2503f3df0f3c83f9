import MediaKernel
import Testing

@testable import HundredMS

@Suite struct TrackSourceTests {
    @Test func theWordsOf100msSayWhatATrackIsOf() {
        let rows: [(String, TrackSource)] = [
            ("regular", .regular), ("screen", .presentation), ("videoplaylist", .presentation),
            ("plugin", .presentation), ("audioplaylist", .other), ("drone", .other), ("", .other),
        ]
        for (word, source) in rows { #expect(TrackSource(named: word) == source, "\(word)") }
    }
}
