import MediaKernel
import Testing

@testable import Streams

@Suite struct StreamEndTests {
    static let ends: [StreamEnd] =
        [
            .stopped, .lastPeerLeft, .nothingPublished, .durationReached, .roomEnded,
            .serverStopped, .variantRefused, .botLeft("parent gone"),
        ] + StreamFailure.Cause.allCases.map { .failed(StreamFailure($0, "words")) }

    @Test func eachEndIsReadAsItIsKept() {
        for end in Self.ends {
            #expect(StreamEnd(code: end.code, detail: end.detail) == end)
        }
        #expect(Set(Self.ends.map(\.code)).count == Self.ends.count)
        #expect(StreamEnd(code: "client request", detail: nil) == nil)
    }

    @Test func failuresFailTheStreamAndNothingElseDoes() {
        for end in Self.ends {
            let isFailure = if case .failed = end { true } else { false }
            #expect(end.isFailure == isFailure)
            #expect(end.status == (isFailure ? .failed : .completed))
            #expect(end.description.hasPrefix("failure: ") == isFailure)
        }
    }

    /// `stop_reason` and the reason of a webhook, which others compare with.
    @Test func eachEndIsToldInItsWords() {
        #expect(
            Self.ends.prefix(8).map(\.description) == [
                "client request", "last peer left", "nothing published", "max duration reached",
                "room ended", "server shutdown", "another variant cannot be started", "parent gone",
            ])
        #expect(StreamEnd.failed(StreamFailure(.botDied, "words")).description == "failure: words")
    }
}
