import MediaKernel
import Testing

@testable import Jibri

/// The rules of Jibri's status checks (jitsi/jibri, `selenium/status_checks`).
@Suite struct CallWatchTests {
    /// What there is from a second on: `3` participants, `3m2` of which 2 are muted, `3c1` of which
    /// 1 calls by telephone; `+` media arrive, `-` none; `!` not connected.
    private static func facts(_ text: String) -> CallWatch.Facts {
        func number(after letter: Character) -> Int {
            text.split(separator: letter, omittingEmptySubsequences: false).dropFirst().first
                .flatMap { Int($0.prefix(while: \.isNumber)) } ?? 0
        }
        return CallWatch.Facts(
            participants: Int(text.prefix(while: \.isNumber)) ?? 0, muted: number(after: "m"),
            callers: number(after: "c"), hasMedia: text.contains("+"),
            isConnected: !text.contains("!"))
    }

    @Test(
        arguments: [
            // Nobody there: 30 s, and more than that.
            ([(0, "0-")], 31, .finished), ([(0, "0-"), (20, "1+"), (40, "0-")], 71, .finished),
            // Nobody connected is no failure of an empty call.
            ([(0, "0-!")], 31, .finished),
            // All muted: 10 min.
            ([(0, "2m2-")], 601, .finished),
            ([(0, "2m2-"), (500, "2m1+"), (510, "2m2-")], 1111, .finished),
            ([(0, "3m2c1+")], 601, .finished),
            // Nothing arrives of those who are not muted: 3 min since the last media.
            ([(0, "2m1-")], 181, .failed(.noMedia)),
            ([(0, "2+"), (100, "2-")], 280, .failed(.noMedia)),
            ([(0, "2m2-"), (590, "2m1-")], 770, .failed(.noMedia)),
            // Not connected: 30 s since the last connection.
            ([(0, "2+!")], 31, .failed(.connectionFailed)),
            ([(0, "2+"), (100, "2+!")], 130, .failed(.connectionFailed)),
            ([(0, "0-!"), (20, "2-!")], 50, .failed(.connectionFailed)),
            ([(0, "2+!"), (20, "2+"), (40, "2+!")], 70, .failed(.connectionFailed)),
            // All is well, for an hour and a half.
            ([(0, "2+")], nil, nil), ([(0, "2m1+")], nil, nil),
        ] as [([(Int, String)], Int?, RecordingEnd?)])
    func aCallEndsInTime(script: [(Int, String)], end: Int?, reason: RecordingEnd?) {
        var watch = CallWatch(CallTimeouts(), usageTimeout: nil, from: .zero)
        for second in 0..<5400 {
            let facts = Self.facts(script.last { $0.0 <= second }?.1 ?? "")
            guard let verdict = watch.check(facts, at: .zero + .seconds(second)) else { continue }
            #expect(second == end && verdict == reason)
            return
        }
        #expect(end == nil)
    }

    @Test func aRecordingIsNoLongerThanItMayBe() {
        var watch = CallWatch(CallTimeouts(), usageTimeout: .seconds(60), from: .zero)
        let facts = Self.facts("2+")
        #expect(watch.check(facts, at: .zero + .seconds(59)) == nil)
        #expect(watch.check(facts, at: .zero + .seconds(60)) == .finished)
    }
}
