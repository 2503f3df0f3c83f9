import ChildProcesses
import MediaKernel
import RemoteRoom
import Testing

@testable import Bot

@Suite struct AttendanceTests {
    private func peer(_ id: String, _ identity: JSONValue?) -> RemotePeer {
        RemotePeer(id: PeerID(id), name: id, identity: identity)
    }

    @Test func eachIdentityIsToldOnceAndWhenItChanges() {
        var attendance = Attendance()
        #expect(
            attendance.news([peer("a", "x"), peer("b", nil)]) == [.identity(peer: "a", "x")])
        #expect(attendance.news([peer("a", "x")]).isEmpty)
        #expect(
            attendance.news([peer("a", "y"), peer("b", "z")])
                == [.identity(peer: "a", "y"), .identity(peer: "b", "z")])
        #expect(attendance.news([]).isEmpty && attendance.news([peer("b", "z")]).isEmpty)
    }

    @Test func moreThanTheMaximumAreLeftOut() {
        var attendance = Attendance()
        let all = (0..<5000).map { peer("\($0)", "x") }
        #expect(attendance.news(all).count == Attendance.maximum)
        #expect(attendance.news([peer("0", "y")]).count == 1)
    }
}
