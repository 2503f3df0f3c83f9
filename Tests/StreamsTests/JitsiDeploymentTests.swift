import MediaKernel
import Testing

@testable import Streams

@Suite struct JitsiDeploymentTests {
    private static func deployments(_ json: String) throws -> JitsiDeployments {
        try JSONDocument.decode(JitsiDeployments.self, from: json.utf8)
    }

    private static func source(_ url: String) throws -> JitsiSource {
        try #require(JitsiSource(meetingURL: "jitsi:\(url)"))
    }

    @Test func whatIsNotGivenFollowsFromTheHost() throws {
        let deployments = try Self.deployments(#"{"meet.example.org":{}}"#)
        #expect(deployments.fault == nil)
        let source = try Self.source("https://meet.example.org/Daily")
        #expect(
            deployments.conference(of: source)
                == JitsiConference(
                    server: "meet.example.org:5222", domain: "meet.example.org",
                    room: "daily@conference.meet.example.org", focus: "focus.meet.example.org"))
        #expect(deployments.credential(for: source, in: nil) == JitsiCredential())
        #expect(deployments.conference(of: try Self.source("https://far.org/Daily")) == nil)
        #expect(deployments.credential(for: try Self.source("https://far.org/a"), in: nil) == nil)
    }

    @Test func aRecorderLogsInToTheHiddenDomain() throws {
        let deployments = try Self.deployments(
            #"""
            {"meet.example.org:8443":{"server":"wss://xmpp.example.org/xmpp-websocket",
             "certificates":"any","domain":"meet.jitsi","user":"recorder","password":"pass",
             "mucDomain":"muc.meet.jitsi","hiddenDomain":"hidden.meet.jitsi","isJibri":true,
             "name":"Roomcast","roomPasswords":{"Board":"open"},
             "conferenceRequest":"https://meet.example.org:8443/conference-request/v1"}}
            """#)
        #expect(deployments.fault == nil)
        let source = try Self.source("https://meet.example.org:8443/Acme/Board")
        #expect(
            deployments.conference(of: source)
                == JitsiConference(
                    server: "wss://xmpp.example.org/xmpp-websocket", certificates: "any",
                    domain: "hidden.meet.jitsi", room: "board@muc.acme.meet.jitsi",
                    focus: "focus.meet.jitsi",
                    requests: "https://meet.example.org:8443/conference-request/v1",
                    name: "Roomcast",
                    hiddenDomain: "hidden.meet.jitsi", isJibri: true))
        let account = JitsiCredential.Account(user: "recorder", password: "pass")
        #expect(
            deployments.credential(for: source, in: nil)
                == JitsiCredential(account: account, roomPassword: "open"))
    }

    @Test func aConferenceThatComesWithItsAddressesHasTheAccountThatItNames() throws {
        var deployments = JitsiDeployments()
        let account = JitsiCredential.Account(user: "recorder", password: "pass")
        let other = JitsiCredential.Account(user: "recorder", password: "other")
        deployments.admit(account, to: "hidden.meet.jitsi", at: "127.0.0.1:5222")
        deployments.admit(other, to: "hidden.meet.jitsi", at: "127.0.0.2:5222")
        let source = try Self.source("https://meet.example.org/Daily")
        func credential(
            _ domain: String, at server: String = "127.0.0.1:5222", as user: String? = "recorder"
        ) -> JitsiCredential? {
            deployments.credential(
                for: source,
                in: JitsiConference(
                    server: server, domain: domain, user: user, room: "daily@muc.meet.jitsi",
                    focus: "focus.meet.jitsi"))
        }
        #expect(credential("hidden.meet.jitsi") == JitsiCredential(account: account))
        #expect(
            credential("hidden.meet.jitsi", at: "127.0.0.2:5222")
                == JitsiCredential(account: other))
        #expect(credential("meet.jitsi") == nil)
        #expect(credential("hidden.meet.jitsi", at: "127.0.0.3:5222") == nil)
        #expect(credential("hidden.meet.jitsi", as: "jibri") == nil)
        #expect(credential("hidden.meet.jitsi", as: nil) == nil)
    }

    @Test(arguments: [
        #"{"*.example.org":{}}"#, #"{"Meet.example.org":{}}"#, #"{"https://a.org":{}}"#,
        #"{"a.org":{"user":"u"}}"#, #"{"a.org":{"password":"p"}}"#,
        #"{"a.org":{"user":"","password":"p"}}"#, #"{"a.org":{"roomPasswords":{"r":""}}}"#,
        #"{"a.org":{"server":"https://a.org"}}"#, #"{"a.org":{"server":"wss://u@a.org/"}}"#,
        #"{"a.org":{"conferenceRequest":"a.org/x"}}"#,
        #"{"a.org":{"conferenceRequest":"https://u:p@a.org/x"}}"#,
    ])
    func anEntryThatCannotBeMeantIsAFault(json: String) throws {
        #expect(try Self.deployments(json).fault != nil)
    }

    @Test func aServerListensAtAPortOrAWebSocket() {
        #expect(JitsiServer("a.org") == .tcp(host: "a.org", port: 5222))
        #expect(JitsiServer("127.0.0.1:5223") == .tcp(host: "127.0.0.1", port: 5223))
        let socket = "wss://a.org/xmpp-websocket?room=r"
        #expect(JitsiServer(socket) == .webSocket(socket))
        #expect(JitsiServer("*.a.org") == nil && JitsiServer("") == nil)
    }

    @Test func aCredentialGoesToTheBotAndIsNotPrinted() throws {
        let account = JitsiCredential.Account(user: "recorder", password: #"pa"ss"#)
        for credential in [
            JitsiCredential(), JitsiCredential(account: account, roomPassword: "open"),
        ] {
            #expect(JitsiCredential(credential.text) == credential)
        }
        #expect(JitsiCredential("eyJ.x.y") == nil)
        var dumped = ""
        dump(JitsiCredential(account: account, roomPassword: "open"), to: &dumped)
        #expect(!dumped.contains("ss") && !dumped.contains("open"))
    }
}
