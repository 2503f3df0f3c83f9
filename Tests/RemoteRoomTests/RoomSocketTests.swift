import ClientConnections
import Testing

@testable import RemoteRoom

@Suite struct RoomSocketTests {
    @Test(arguments: [429, 500, 503] as [UInt])
    func whatMayPassIsUnreachable(code: UInt) {
        guard case .unreachable = RoomSocket.end(.status(code: code, reason: "Busy")) else {
            Issue.record("\(code) does not pass")
            return
        }
    }

    @Test(arguments: [200, 301, 403, 404] as [UInt])
    func otherAnswersAreFinal(code: UInt) {
        #expect(
            RoomSocket.end(.status(code: code, reason: "No"))
                == .protocolViolation("the server refused the WebSocket with \(code) No"))
    }

    @Test func soIsAnotherSubprotocol() {
        guard case .protocolViolation = RoomSocket.end(.subprotocol(nil)) else {
            Issue.record("it passes")
            return
        }
    }
}
