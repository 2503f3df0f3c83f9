import MediaKernel
import RemoteRoom
import Testing

@testable import OpenVidu

@Suite struct SessionRosterTests {
    private func participant(_ name: String, _ stream: String?) -> Participant {
        Participant(
            id: name, metadata: "", createdAt: 0,
            stream: stream.map { SharedStream(id: $0, createdAt: 0, terms: StreamTerms()) })
    }

    @Test func theOrderIsThatOfComing() {
        var roster = SessionRoster()
        for number in 0..<40 { _ = roster.put(participant("\(number)", "s\(number)")) }
        // It moves up, and keeps its order, whatever is in between.
        for number in 0..<40 where number % 7 != 0 { roster.remove("\(number)") }
        #expect(roster.participants.map(\.id) == ["0", "7", "14", "21", "28", "35"])
        _ = (roster.put(participant("14", nil)), roster.put(participant("1", "s1")))
        #expect(roster.participants.map(\.id) == ["0", "7", "14", "21", "28", "35", "1"])
        #expect(roster["14"]?.stream == nil && roster.publisher(of: "s14") == nil)
        #expect(roster.publisher(of: "s1")?.id == "1" && roster.publisher(of: "s35")?.id == "35")
        #expect(roster.peers { _ in false }.map(\.id.rawValue) == roster.participants.map(\.id))
    }

    @Test func aStreamHasThePublisherThatHasIt() {
        var roster = SessionRoster()
        _ = (roster.put(participant("a", "s")), roster.put(participant("b", nil)))
        #expect(roster.publisher(of: "s")?.id == "a")
        roster.change("a") { $0 = nil }
        #expect(roster.publisher(of: "s") == nil)
        _ = roster.put(participant("b", "s"))
        roster.change("a") { $0 = nil }
        roster.remove("a")
        #expect(roster.publisher(of: "s")?.id == "b")
    }
}
