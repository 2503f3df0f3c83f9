import MediaKernel
import Streams
import Testing

@testable import Service

/// Streams of a Jitsi deployment's conferences.
@Suite(.timeLimit(.minutes(5))) struct JitsiSourceTests {
    private static let account = JitsiCredential.Account(user: "recorder", password: "MY_SECRET")

    private static func world(
        _ json: String, _ admit: @escaping (inout JitsiDeployments) -> Void = { _ in }
    ) async throws -> StreamsWorld {
        var deployments = try JSONDocument.decode(JitsiDeployments.self, from: json.utf8)
        admit(&deployments)
        let sources = StreamSettings.Sources(jitsi: deployments)
        return try await StreamsWorld { $0.sources = sources }
    }

    private static func request(
        _ host: String, _ conference: JitsiConference? = nil
    ) -> LiveStreamRequest {
        LiveStreamRequest(variants: [
            LiveStreamVariant(meetingURL: "jitsi:https://\(host)/Daily", conference: conference)
        ])
    }

    @Test func aBotGetsTheAddressesByItsPlanAndTheAccountByItsEnvironment() async throws {
        let json = """
            {"meet.example.org": {"user": "recorder", "password": "MY_SECRET",
             "hiddenDomain": "recorder.meet.example.org", "isJibri": true}}
            """
        try await Self.world(json).run { world in
            let streams = try await world.streams.start(
                room: "demo", Self.request("meet.example.org"), startedBy: nil)
            let stream = try #require(streams.first)
            let bot = try #require(await world.launcher.next())
            #expect(
                JitsiCredential(bot.job.token) == JitsiCredential(account: Self.account))
            let conference = try #require(stream.plan.variant.conference)
            #expect(conference.domain == "recorder.meet.example.org" && conference.isJibri)
            #expect(conference.room == "daily@conference.meet.example.org")
            #expect(!"\(stream.plan)".contains("MY_SECRET"))
            // Whoever asks for it again gets this one.
            let again = try await world.streams.start(
                room: "demo", Self.request("meet.example.org"), startedBy: nil)
            #expect(again.map(\.id) == [stream.id])
        }
    }

    @Test func aDeploymentMustBeListed() async throws {
        try await Self.world(#"{"meet.example.org": {}}"#).run { world in
            await #expect(throws: LiveStreamError.conferenceUnknown(deployment: "far.org")) {
                try await world.streams.start(
                    room: "demo", Self.request("far.org"), startedBy: nil)
            }
        }
    }

    /// Those that Jicofo orders.
    @Test func aConferenceMayComeWithItsAddresses() async throws {
        let conference = JitsiConference(
            server: "127.0.0.1:5222", domain: "hidden.meet.jitsi", user: Self.account.user,
            room: "daily@muc.meet.jitsi",
            focus: "focus.meet.jitsi",
            recording: JitsiConference.Recording(session: "uuid", mode: "file"))
        try await Self.world("{}") {
            $0.admit(Self.account, to: "hidden.meet.jitsi", at: "127.0.0.1:5222")
        }
        .run { world in
            let streams = try await world.streams.start(
                room: "demo", Self.request("far.org", conference), startedBy: nil)
            let bot = try #require(await world.launcher.next())
            #expect(
                JitsiCredential(bot.job.token) == JitsiCredential(account: Self.account))
            #expect(streams.first?.plan.variant.conference == conference)
            var other = conference
            other.domain = "meet.jitsi"
            await #expect(throws: LiveStreamError.conferenceUnknown(deployment: "far.org")) {
                try await world.streams.start(
                    room: "other", Self.request("far.org", other), startedBy: nil)
            }
        }
    }
}
