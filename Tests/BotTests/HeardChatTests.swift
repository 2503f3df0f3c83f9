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
        let report = try #require(chat.report(message(), at: Self.start))
        #expect(
            [report.peerID, report.peer, report.type, report.text] == ["a", "Ann", "chat", "hi"])
        #expect(chat.report(message(#"{"a":1}"#), at: Self.start)?.text == #"{"a":1}"#)
        #expect(chat.report(message(isPrivate: true), at: Self.start) == nil)
        #expect(chat.report(message(from: nil), at: Self.start) == nil)
        // Those who are not in the room, and those of whom nobody knows a name.
        #expect(chat.report(message(from: "v", name: "Vi"), at: Self.start)?.peer == "Vi")
        #expect(chat.report(message(from: "v"), at: Self.start)?.peer == "")
    }

    /// The server hears its own rooms itself.
    @Test func onlyConferencesHaveTheirChatReported() {
        var chat = HeardChat(of: nil, at: Self.start)
        #expect(chat.report(message(), at: Self.start) == nil)
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
