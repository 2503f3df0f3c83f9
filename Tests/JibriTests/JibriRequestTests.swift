import MediaKernel
import Testing
import XML
import XMPP

@testable import Jibri

@Suite struct JibriRequestTests {
    static let file: KeyValuePairs<String, String?> = [
        "action": "start", "recording_mode": "file", "room": "Room@muc.example",
        "session_id": "s-1",
        "app_data": #"{"file_recording_metadata":{"share":true,"n":{"a":[1]}},"more":1}"#,
        "displayname": "x", "rtcstats_enabled": "true",
    ]

    /// What `stanza` as Jicofo sends it asks.
    private func read(_ stanza: String) throws -> JibriRequest? {
        let iq = try XMLStreamReader.element(stanza)
        return try JibriRequest(#require(Request(iq)))
    }

    @Test func aStartOfJicofosIsUnderstood() throws {
        let request = try read(
            """
            <iq xmlns='jabber:client' type='set' id='7' to='jibri@auth.example/x' \
            from='jibribrewery@internal-muc.example/focus'><jibri xmlns='http://jitsi.org/protocol/jibri' \
            action='start' recording_mode='file' room='r@muc.example' displayname='' \
            session_id='0f8c' app_data='{&quot;file_recording_metadata&quot;:{&quot;share&quot;:true}}' \
            rtcstats_enabled='false'><traceparent xmlns='urn:x' value='00-1-2-01'/></jibri></iq>
            """)
        guard case .start(let start) = request else {
            Issue.record("\(String(describing: request))")
            return
        }
        #expect(start.session == "0f8c" && start.room == JID("r@muc.example"))
        #expect(start.output == .file && start.metadata == ["share": .bool(true)])
    }

    @Test(arguments: [
        ("rtmp://h/app/key", nil, "rtmp://h/app/key", nil),
        ("RTMPS://h/app/key", nil, "RTMPS://h/app/key", nil),
        ("abcd-1234", "x1", "rtmp://a.rtmp.youtube.com/live2/abcd-1234", "http://youtu.be/x1"),
        (
            "abcd", "https://tv.example/1", "rtmp://a.rtmp.youtube.com/live2/abcd",
            "https://tv.example/1"
        ),
    ])
    func aStreamHasItsTargetAndWhereItIsWatched(
        id: String, broadcast: String?, url: String, viewURL: String?
    ) throws {
        let request = try JibriRequest(
            Script.request([
                "action": "start", "recording_mode": "STREAM", "room": "r@muc.example",
                "session_id": "s", "streamid": id, "you_tube_broadcast_id": broadcast,
            ]))
        guard case .start(let start) = request, case .stream(let stream) = start.output else {
            Issue.record("\(String(describing: request))")
            return
        }
        #expect(stream.url == url && stream.viewURL == viewURL)
        #expect(!"\(stream)".contains(id.split(separator: "/").last ?? ""))
    }

    @Test func aStopNamesItsSessionOrNone() throws {
        #expect(
            try JibriRequest(Script.request(["action": "stop", "session_id": "s"]))
                == .stop(session: "s"))
        #expect(try JibriRequest(Script.request(["action": "STOP"])) == .stop(session: nil))
        let stop = try read(
            "<iq xmlns='jabber:client' type='set' id='1'><jibri xmlns='http://jitsi.org/protocol/jibri' action='stop'/></iq>"
        )
        #expect(stop == .stop(session: nil))
    }

    /// A change of a good start, and the answer to it: that of Jibri.
    @Test(arguments: [
        ("action", "", "bad-request"), ("action", "pause", "bad-request"),
        ("action", nil, "bad-request"),
        ("sipaddress", "a@b", "error final"), ("sipaddress", "  ", "admit"),
        ("recording_mode", nil, "error final"),
        ("recording_mode", "undefined", "error final"), ("recording_mode", "FILE", "admit"),
        ("recording_mode", "stream", "error retry"), ("session_id", nil, "error retry"),
        ("session_id", "", "error retry"),
        ("session_id", String(repeating: "x", count: 256), "error retry"),
        ("room", nil, "error retry"),
        ("room", "muc.example", "error retry"), ("room", "r@muc.example/x", "error retry"),
        ("room", "@", "error retry"),
        ("app_data", "{", "error retry"), ("app_data", "[]", "error retry"),
        ("app_data", nil, "admit"),
        ("app_data", "{}", "admit"), ("app_data", #"{"file_recording_metadata":null}"#, "admit"),
        ("app_data", #"{"file_recording_metadata":1}"#, "error retry"),
        (
            "app_data",
            "{\"a\":" + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}",
            "error retry"
        ),
        ("app_data", "{\"a\":\"" + String(repeating: "x", count: 65_536) + "\"}", "error retry"),
    ])
    func aMalformedStartIsAnsweredAsByJibri(name: String, value: String?, answer: String) {
        var element = XMLElement("jibri", "http://jitsi.org/protocol/jibri", Self.file)
        element[name] = value
        let iq = XMLElement(
            "iq", "jabber:client",
            ["type": "set", "id": "1", "from": "brewery@internal.example/focus"], [element])
        var slot = BrewerySlot(breweries: [Script.brewery])
        let orders = Request(iq).map { slot.handle(.asked($0, server: 0)) } ?? []
        #expect(Script.words(orders) == (answer == "admit" ? "admit s-1" : "answer \(answer)"))
        // Jibri's answer to a call by SIP names it.
        if name == "sipaddress", case .answer(let stanza, _) = orders.first {
            #expect(stanza.elements.first?["sipaddress"] == value)
        }
    }

    @Test func otherRequestsAreRefused() throws {
        var slot = BrewerySlot(breweries: [Script.brewery])
        for (type, namespace, condition) in [
            ("get", "http://jitsi.org/protocol/jibri", "feature-not-implemented"),
            ("set", "urn:other", "service-unavailable"),
        ] {
            let iq = XMLElement(
                "iq", "jabber:client",
                ["type": type, "id": "1", "from": "brewery@internal.example/focus"],
                [XMLElement("jibri", namespace, ["action": "start"])])
            let request = try #require(Request(iq))
            #expect(Script.words(slot.handle(.asked(request, server: 0))) == "answer \(condition)")
        }
    }

    @Test(arguments: [
        (JibriStatus(.pending), "status='pending'"), (JibriStatus(.on), "status='on'"),
        (JibriStatus(.off), "status='off'"),
        (JibriStatus(.off, .busy), "status='off' failure_reason='busy' should_retry='true'"),
        (
            JibriStatus(.off, .error(shouldRetry: true)),
            "status='off' failure_reason='error' should_retry='true'"
        ),
        (
            JibriStatus(.off, .error(shouldRetry: false), sipAddress: "a@b"),
            "status='off' sipaddress='a@b' failure_reason='error' should_retry='false'"
        ),
    ])
    func aStatusIsWrittenAsJibriDoesAndReadBack(status: JibriStatus, attributes: String) {
        #expect(
            status.element.xml() == "<jibri xmlns='http://jitsi.org/protocol/jibri' \(attributes)/>"
        )
        #expect(JibriStatus(status.element) == status)
    }

    @Test func whatIsNoStatusIsNone() {
        for attributes: KeyValuePairs<String, String?> in [
            [:], ["status": "undefined"], ["status": ""],
        ] {
            #expect(
                JibriStatus(XMLElement("jibri", "http://jitsi.org/protocol/jibri", attributes))
                    == nil)
        }
        #expect(JibriStatus(XMLElement("jibri", "urn:other", ["status": "on"])) == nil)
        let failure = XMLElement(
            "jibri", "http://jitsi.org/protocol/jibri",
            ["status": "OFF", "failure_reason": "ERROR"])
        #expect(JibriStatus(failure) == JibriStatus(.off, .error(shouldRetry: false)))
    }

    @Test(arguments: [
        (false, true, "idle", "healthy"), (true, true, "busy", "healthy"),
        (true, false, "busy", "unhealthy"),
    ])
    func aSlotShowsTwoThings(isBusy: Bool, isHealthy: Bool, busy: String, health: String) {
        #expect(
            SlotStatus(isBusy: isBusy, isHealthy: isHealthy).element.xml()
                == "<jibri-status xmlns='http://jitsi.org/protocol/jibri'><busy-status status='\(busy)'/>"
                + "<health-status xmlns='http://jitsi.org/protocol/health' status='\(health)'/></jibri-status>"
        )
    }

    @Test(arguments: [
        ([".*"], true), ([], false), (["rtmp://h/.*"], true), (["rtmp://h"], false),
        (["rtmps://.*", "rtmp://h/app/key"], true),
        (["("], false),
    ])
    func onePatternMustMatchTheWholeAddress(patterns: [String], isAllowed: Bool) throws {
        let element = XMLElement("jibri", "", ["streamid": "rtmp://h/app/key"])
        #expect(try #require(StreamRequest(element)).isAllowed(by: patterns) == isAllowed)
    }
}
