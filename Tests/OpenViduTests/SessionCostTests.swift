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
