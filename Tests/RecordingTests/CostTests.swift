import Testing
import Workbench

@testable import Recording

/// Reading users' messages back takes time proportional to their length.
@Suite struct CostTests {
    @Test(arguments: ["a", "\"", "=", "\n", "\u{0}", ",\""])
    func ofOneMessage(piece: String) {
        let growth = Growth.of(2000) { count in
            ChatRecord(
                senderID: "p", senderName: "", senderUserID: "", roles: [], sentAt: "",
                type: "chat", text: String(repeating: piece, count: count))
        } body: {
            #expect(!$0.line.isEmpty)
        }
        #expect(growth < Growth.tolerated)
    }

    @Test(arguments: ["\"", "\n", "a\n", "\"\n\"\n", " ", " \n"])
    func ofAChat(piece: String) {
        let growth = Growth.of(4000) {
            Array(String(repeating: piece, count: $0).utf8)
        } body: {
            #expect(ChatFile.wholeLines($0).count <= $0.count)
        }
        #expect(growth < Growth.tolerated)
    }

    @Test func ofTornLogs() {
        let growth = Growth.of(500) {
            Array(String(repeating: "12 run=1 rate=30 *00000000\n", count: $0).utf8)
        } body: {
            #expect(SegmentLog(parsing: $0).damagedLines > 0)
        }
        #expect(growth < Growth.tolerated)
    }
}
