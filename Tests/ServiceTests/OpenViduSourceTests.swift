import MediaKernel
import Streams
import Testing

@testable import Service

/// Streams of an OpenVidu server's sessions.
@Suite(.timeLimit(.minutes(5))) struct OpenViduSourceTests {
    private static func world(hosts: [String]) async throws -> StreamsWorld {
        let servers = try JSONDocument.decode(
            OpenViduServers.self,
            from: #"{"example.org":{"secret":"MY_SECRET","tokens":{"ses_2":"tok_A"}}}"#.utf8)
        let hosts = try #require(WebHosts(hosts, allowsHTTP: true))
        return try await StreamsWorld { settings in
            settings.sources = StreamSettings.Sources(hosts: hosts, openVidu: servers)
        }
    }

    private static func request(_ place: String, _ session: String) -> LiveStreamRequest {
        LiveStreamRequest(variants: [
            LiveStreamVariant(
                meetingURL: "openvidu:wss://\(place)/openvidu?sessionId=\(session)")
        ])
    }

    @Test(arguments: [("ses_1", "secret:MY_SECRET"), ("ses_2", "token:tok_A")])
    func aBotGetsWhatAdmitsItAndNobodyElseSeesIt(session: String, token: String) async throws {
        try await Self.world(hosts: ["example.org"]).run { world in
            let streams = try await world.streams.start(
                room: "demo", Self.request("example.org", session), startedBy: nil)
            let stream = try #require(streams.first)
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.token == token)
            #expect(
                stream.plan.variant.shownURL
                    == "openvidu:wss://example.org/openvidu?sessionId=\(session)")
        }
    }

    @Test func aServerMustBeListedAndKnown() async throws {
        try await Self.world(hosts: ["far.org"]).run { world in
            await #expect(throws: LiveStreamError.sourceNotAllowed(host: "example.org")) {
                try await world.streams.start(
                    room: "demo", Self.request("example.org", "ses_1"), startedBy: nil)
            }
            await #expect(throws: LiveStreamError.sourceLocked(server: "far.org")) {
                try await world.streams.start(
                    room: "demo", Self.request("far.org", "ses_1"), startedBy: nil)
            }
        }
    }
}
