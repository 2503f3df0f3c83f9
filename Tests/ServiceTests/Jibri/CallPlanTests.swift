import Jibri
import MediaKernel
import Rooms
import Streams
import Testing

@testable import Service

@Suite struct CallPlanTests {
    private func plan(_ call: JibriCall) throws -> CallPlan {
        try CallPlan(call, CallTimeouts(), watchPages: "https://live.example/watch")
    }

    @Test func aFileIsAConferenceThatTheRecorderJoinsHidden() throws {
        let plan = try plan(JibriDoubles.call("s-1"))
        #expect(plan.variant.meetingURL == "jitsi:https://meet.example/team.call")
        #expect(plan.variant.metadata == "s-1")
        let conference = try #require(plan.variant.conference)
        #expect(
            conference
                == JitsiConference(
                    server: "xmpp.meet.example:5222", encryption: .optional,
                    domain: "hidden.meet.example", user: "recorder",
                    room: "team.call@muc.meet.example",
                    focus: "focus.meet.example", hiddenDomain: "hidden.meet.example",
                    isJibri: true, recording: .init(session: "s-1", mode: "file"),
                    patience: .init(
                        noMedia: 180_000, allMuted: 600_000, empty: 30_000, connection: 30_000)))
        guard case .jitsi = plan.variant.source else {
            Issue.record("\(String(describing: plan.variant.source))")
            return
        }
    }

    @Test(
        arguments: [
            (JibriEnvironment.Security.required, false, JitsiConference.Encryption.required, nil),
            (.ifPossible, true, .optional, "any"), (.disabled, false, .optional, "any"),
        ] as [(JibriEnvironment.Security, Bool, JitsiConference.Encryption, String?)])
    func whatTheOperatorTrustsTheBotTrusts(
        security: JibriEnvironment.Security, trustsAll: Bool,
        encryption: JitsiConference.Encryption, certificates: String?
    ) throws {
        var environment = JibriDoubles.environment()
        environment.security = security
        environment.trustsAllCertificates = trustsAll
        let plan = try plan(JibriDoubles.call("s", environment: environment))
        #expect(plan.variant.conference?.encryption == encryption)
        #expect(plan.variant.conference?.certificates == certificates)
    }

    /// Containers of different deployments all have the same domains.
    @Test func eachDeploymentHasItsOwnAccount() throws {
        var jibri = JibriDoubles.settings()
        jibri.environments = [
            JibriDoubles.environment("one", host: "one.example", password: "first"),
            JibriDoubles.environment("two", host: "two.example", password: "second"),
        ]
        var settings = Settings()
        settings.admit(jibri)
        let passwords = try jibri.environments.map { environment in
            let plan = try plan(JibriDoubles.call("s", environment: environment))
            guard case .jitsi(let source)? = plan.variant.source else { return "" }
            return settings.stream.sources.jitsi.credential(
                for: source, in: plan.variant.conference)?.account?.password ?? ""
        }
        #expect(passwords == ["first", "second"])
    }

    @Test func aStreamIsWatchedWhereItsStartSaysOrHere() throws {
        let here = try plan(JibriDoubles.call("s", stream: "key"))
        #expect(here.variant.conference?.recording?.mode == "stream")
        #expect(
            here.variant.conference?.recording?.viewURL
                == "https://live.example/watch/\(here.room)")
        let there = try plan(
            JibriDoubles.call("s", stream: "key", broadcast: "https://a.example/b"))
        #expect(there.variant.conference?.recording?.viewURL == "https://a.example/b")
    }

    @Test func aMeetingHasOneRoomAndOneOfTheSameNameAnother() throws {
        let room = try plan(JibriDoubles.call("s-1")).room
        #expect(room.rawValue.hasPrefix("team_call-") && RoomID.isValid(room.rawValue))
        #expect(try plan(JibriDoubles.call("s-2")).room == room)
        let request = JibriDoubles.request([
            "action": "start", "recording_mode": "file", "session_id": "s",
            "room": "team_call@muc.meet.example",
        ])
        guard case .start(let start) = try JibriRequest(request) else { return }
        let environment = JibriDoubles.environment()
        let other = try plan(
            JibriCall(start: start, environment: environment, host: environment.hosts[0]))
        #expect(other.room != room && other.room.rawValue.hasPrefix("team_call-"))
    }

    @Test func anAddressBelowAPathIsNoneOfASource() throws {
        var environment = JibriDoubles.environment()
        environment.baseURL = "https://meet.example/a/b/c"
        let plan = try plan(JibriDoubles.call("s", environment: environment))
        #expect(plan.variant.meetingURL == "jitsi:https://meet.example/team.call")
    }
}
