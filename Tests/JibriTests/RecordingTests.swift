import Foundation
import MediaKernel
import Testing
import XML
import XMPP

@testable import Jibri

@Suite struct RecordingTests {
    private func meeting(
        _ room: String, prefix: String = "conference.", base: String? = nil
    ) throws -> MeetingAddress {
        var environment = try JibriReportTests.settings("").environments[0]
        environment.roomDomainPrefix = prefix
        environment.baseURL = base
        return MeetingAddress(room: try #require(JID(room)), in: environment)
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("x@conference.meet.example", "conference.", nil, "https://meet.example/x", ""),
            ("x@conference.a.meet.example", "conference.", nil, "https://meet.example/a/x", "a"),
            (
                "x@conference.a.b.meet.example", "Conference.", nil, "https://meet.example/a.b/x",
                "a.b"
            ),
            (
                "x@muc.meet.example", "muc.", "https://video.example/tv",
                "https://video.example/tv/x", ""
            ),
            ("x@muc.meet.example", "", nil, "https://meet.example/muc/x", "muc"),
            ("x@a.muc.meet.example", "muc.", nil, "https://meet.example/a/x", "a"),
            ("x@muc.other.example", "muc.", nil, "https://meet.example/x", ""),
        ] as [(String, String, String?, String, String)])
    func aRoomIsAMeeting(
        room: String, prefix: String, base: String?, url: String, tenant: String
    ) throws {
        let meeting = try meeting(room, prefix: prefix, base: base)
        #expect(meeting.url == url && meeting.tenant == tenant && meeting.name == "x")
    }

    @Test(arguments: [
        ("0f8c-1_B", "0f8c-1_B"), ("a/../b c", "a____b_c"), ("é½😀", "___"), ("..", "__"), ("", "_"),
    ])
    func aSessionHasADirectory(session: String, name: String) {
        #expect(RecordingNames.directory(session: session) == name)
    }

    @Test func eachFurtherPartOfASessionHasAnother() {
        #expect(RecordingNames.directory(session: "a", part: 2) == "a_2")
        let long = String(repeating: "a", count: 255)
        #expect(RecordingNames.directory(session: long, part: 1) == long)
        #expect(RecordingNames.directory(session: long, part: 12) == long.dropLast(3) + "_12")
    }

    @Test(arguments: [
        ("room", "room"), (String(repeating: "a", count: 200), String(repeating: "a", count: 101)),
        (String(repeating: "é", count: 200), String(repeating: "é", count: 101)),
        (String(repeating: "語", count: 200), String(repeating: "語", count: 77)),
        (String(repeating: "😀", count: 200), String(repeating: "😀", count: 50)),
    ])
    func aFileIsNamedAfterItsMeetingAndTime(room: String, name: String) throws {
        let time = CivilTime(unixNanoseconds: 1_770_091_506_000_000_000)
        let file = RecordingNames.file(of: try meeting("\(room)@conference.meet.example"), at: time)
        #expect(file == "\(name)_2026-02-03-04-05-06.mp4")
        #expect(file.utf16.count <= 125 && file.utf8.count <= 255)
        let sound = RecordingNames.file(
            of: try meeting("\(room)@conference.meet.example"), at: time, isSoundAlone: true)
        #expect(sound == "\(name)_2026-02-03-04-05-06.m4a")
    }

    @Test func theMetadataHaveWhatTheStartBrought() throws {
        let metadata = RecordingMetadata(
            url: try meeting("x@conference.meet.example").url,
            participants: [.object(["user": .object(["name": "Ana"])])],
            more: ["share": .bool(true), "participants": "none", "n": .object(["a": .integer(1)])])
        #expect(
            try json(metadata)
                == #"{"meeting_url":"https://meet.example/x","n":{"a":1},"#
                + #""participants":[{"user":{"name":"Ana"}}],"share":true}"#)
    }

    @Test(
        arguments: [
            ([:], nil, "<session_id>s</session_id><mode>file</mode>"),
            ([:], "https://w", "<session_id>s</session_id><mode>file</mode>"),
            (["streamid": "k"], nil, "<session_id>s</session_id><mode>stream</mode>"),
            (
                ["streamid": "k"], "https://w?a&b",
                "<session_id>s</session_id><mode>stream</mode>"
                    + "<live-stream-view-url>https://w?a&amp;b</live-stream-view-url>"
            ),
            (
                ["streamid": "k", "you_tube_broadcast_id": "x"], "https://w",
                "<session_id>s</session_id><mode>stream</mode>"
                    + "<live-stream-view-url>http://youtu.be/x</live-stream-view-url>"
            ),
        ] as [([String: String], String?, String)])
    func theRoomIsShownTheSession(more: [String: String], viewURL: String?, xml: String) throws {
        var element = XMLElement(
            "jibri", "http://jitsi.org/protocol/jibri",
            [
                "recording_mode": more.isEmpty ? "file" : "stream", "room": "r@muc.example",
                "session_id": "s",
            ])
        for (name, value) in more { element[name] = value }
        let shown = try JibriStart(element).shown(viewURL: viewURL)
        #expect(shown.map { $0.xml(in: "jabber:client") }.joined() == xml)
    }

    @Test func theFiguresAreThoseOfJibri() {
        var figures = JibriFigures()
        figures.started = 3
        for fact: BrewerySlot.Fact in [
            .closed(session: "a"), .closed(session: "b"), .ended(session: "a", .finished),
            .ended(session: "b", .failed(.disk)), .ended(session: "c", .failed(.noMedia)),
            .declined(session: "d"), .lost(server: 0),
        ] { figures.count(fact) }
        let text = figures.text(JibriHealth(.busy, fault: "disk", environment: nil))
        #expect(
            text.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
                "jitsi_jibri_sessions_started_total 3", "jitsi_jibri_sessions_stopped_total 2",
                "jitsi_jibri_errors_total 1", "jitsi_jibri_busy_total 1",
                "jitsi_jibri_xmpp_closed_total 1", "jitsi_jibri_healthy 0",
                "jitsi_jibri_recording 1",
            ])
        #expect(text.contains("\n# TYPE jitsi_jibri_healthy gauge\n"))
    }

    @Test func theHealthIsAsTheAutoscalerReadsIt() throws {
        #expect(
            try json(JibriHealth(.idle, fault: nil, environment: nil))
                == #"{"status":{"busyStatus":"IDLE","health":{"details":{},"healthStatus":"HEALTHY"}}}"#
        )
        #expect(
            try json(JibriEvent(id: "one", JibriHealth(.busy, fault: nil, environment: ("a", "b"))))
                == #"{"jibriId":"one","status":{"busyStatus":"BUSY","#
                + #""health":{"details":{},"healthStatus":"HEALTHY"}}}"#)
        #expect(
            try json(JibriHealth(.idle, fault: nil, trouble: "later", environment: nil))
                == #"{"status":{"busyStatus":"IDLE","health":{"details":{"Deliveries":"#
                + #"{"detail":"later","healthStatus":"HEALTHY"}},"healthStatus":"HEALTHY"}}}"#)
        #expect(
            try json(JibriHealth(.expired, fault: "disk", environment: ("prod", "a.example")))
                == #"{"environmentContext":{"name":"prod-a.example"},"#
                + #""status":{"busyStatus":"EXPIRED","health":{"details":{"JibriManager":"#
                + #"{"detail":"disk","healthStatus":"UNHEALTHY"}},"healthStatus":"UNHEALTHY"}}}"#)
    }
}
