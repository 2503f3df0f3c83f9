import ChildProcesses
import MediaKernel
import RemoteRoom
import Streams
import Testing

@testable import Bot

@Suite struct HeardChatTests {
    private static let start = Instant.zero + .seconds(10)
    private static let conference = StreamSource.jitsi(
        JitsiSource(meetingURL: "jitsi:https://meet.example/Daily")!)

    private func message(
        from sender: PeerID? = "a", name: String? = nil, _ content: String = "\"hi\"",
        isPrivate: Bool = false
    ) -> RoomMessage {
        RoomMessage(
            sender: sender, senderName: name, type: "chat", content: OpaqueJSON(text: content),
            isPrivate: isPrivate)
    }

    @Test func whatIsSaidToAllIsReportedWithItsSendersName() throws {
        var chat = HeardChat(of: Self.conference, at: Self.start)
        chat.know([RemotePeer(id: "a", name: "Ann", role: "")])
        func report(_ message: RoomMessage) -> BotReport.Message? {
            chat.report(message, at: Self.start)
        }
        let first = try #require(report(message()))
        #expect(
            [first.peerID, first.peer, first.type, first.text] == ["a", "Ann", "chat", "hi"])
        #expect(report(message(#"{"a":1}"#))?.text == #"{"a":1}"#)
        #expect(report(message(isPrivate: true)) == nil)
        #expect(report(message(from: nil)) == nil)
        // Those who are not in the room, and those of whom nobody knows a name.
        #expect(report(message(from: "v", name: "Vi"))?.peer == "Vi")
        #expect(report(message(from: "v"))?.peer == "")
    }

    /// The server hears its own rooms itself.
    @Test func onlyConferencesHaveTheirChatReported() {
        var chat = HeardChat(of: nil, at: Self.start)
        let report = chat.report(message(), at: Self.start)
        #expect(report == nil)
    }

    @Test func aFloodIsCut() {
        var chat = HeardChat(of: Self.conference, at: Self.start)
        let kept = (0..<1000).count { _ in chat.report(message(), at: Self.start) != nil }
        #expect(kept == HeardChat.burst)
        let later = Self.start + .seconds(2)
        let more = (0..<1000).count { _ in chat.report(message(), at: later) != nil }
        #expect(more == 2 * HeardChat.rate)
    }
}
