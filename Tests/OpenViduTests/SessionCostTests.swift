import MediaClient
import MediaKernel
import PeerConnection
import RemoteRoom
import Testing
import Workbench

@testable import OpenVidu

/// What happens to one stream, or one participant, costs the same however many there are.
@Suite struct SessionCostTests {
    private static func participant(_ number: Int) -> Participant {
        Participant(
            id: "con_\(number)", metadata: "", createdAt: 0,
            stream: SharedStream(id: "str_\(number)", createdAt: 0, terms: StreamTerms()))
    }

    @Test func ofTheRoster() {
        let growth = Growth.of(400) {
            (0..<$0).map(Self.participant)
        } body: { participants in
            var roster = SessionRoster()
            for participant in participants { _ = roster.put(participant) }
            for participant in participants {
                roster.change(participant.id) { $0?.isAudioActive = true }
                _ = roster.publisher(of: participant.stream?.id ?? "")
            }
            for participant in participants { roster.remove(participant.id) }
            #expect(roster.participants.isEmpty)
        }
        #expect(growth < Growth.tolerated)
    }

    /// All streams are received one after another, and then flicker.
    @Test func ofTheConnections() throws {
        let growth = try Growth.of(120) { count in
            try ClientWorld.inside((0..<count).map { ClientWorld.participant("P\($0)") }).session
        } body: { session in
            var session = session
            let count = session.receptions.count
            for number in 0..<count {
                let connection = StreamConnectionID(number)
                session.offered(connection, "", at: ClientWorld.start)
                session.received(
                    OpenViduFrame.result(
                        ["sdpAnswer": "answer"], to: .number(session.nextCall - 1),
                        rpcSession: ""), at: ClientWorld.start)
                session.accepted(connection, candidates: [], at: ClientWorld.start)
                for state in [PeerConnectionState.connected, .disconnected, .connected] {
                    session.stateChanged(connection, state, at: ClientWorld.start)
                }
                while session.poll() != nil {}
            }
            #expect(session.nextConnection == count && session.receptions.connected == count)
        }
        #expect(growth < Growth.tolerated)
    }
}

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
