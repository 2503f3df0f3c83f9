import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Testing

@testable import ControlAPI

/// A misspelt filter, or a field where none belongs, is refused and not silently ignored.
@Suite struct QueryFieldTests {
    private static let faults: [(uri: String, details: [String])] = [
        ("/v2/live-streams?rom_id=demo", ["rom_id is not known; did you mean room_id?"]),
        ("/v2/live-streams?roomId=demo", ["roomId is not known; did you mean room_id?"]),
        ("/v2/recordings?page=2", ["page is not known"]),
        ("/v2/external-streams?state=running", ["state is not known"]),
        ("/v2/recording-assets?type=chat", ["type is not known"]),
        (
            "/v2/recording-assets/a/presigned-url?duration=60",
            ["duration is not known"]
        ),
        (
            "/v2/rooms?enable=false&foo=",
            [
                "enable is not known; did you mean enabled?", "foo is not known",
            ]
        ),
        ("/v2/rooms/demo?limit=10", ["limit is not known"]),
        ("/v2/room-codes/room/demo?roles=host", ["roles is not known; did you mean role?"]),
        ("/v2/sessions?activ=true", ["activ is not known; did you mean active?"]),
        ("/v2/templates?starts=a", ["starts is not known; did you mean start?"]),
        ("/v2/active-rooms/demo/peers?roel=host", ["roel is not known; did you mean role?"]),
        ("/v2/analytics/webhooks?stream=a", ["stream is not known; did you mean stream_id?"]),
        (
            "/v2/analytics/events?room_id=a&user=b", ["user is not known"]
        ),
        ("/v2/group-calls?room_id=a", ["room_id is not known; did you mean room_ids?"]),
        (
            "/v2/group-calls/demo/recordings?afer=1", ["afer is not known; did you mean after?"]
        ),
        ("/api/recordings?room=demo", ["room is not known"]),
    ]

    @Test func aMisspeltParameterIsRefusedWithTheNearestKnownOne() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for row in Self.faults {
                let answer = try await client.execute(
                    uri: row.uri, method: .get, headers: headers)
                #expect(answer.status == .badRequest, "\(row.uri)")
                let error = APIError.malformedQuery(row.details)
                #expect(try TestJSON.refusal(answer) == error.body, "\(row.uri)")
            }
        }
    }

    /// The parameters that 100ms' documents have and this server does not read are taken.
    @Test func whatTheDocumentsNameIsTaken() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for uri in [
                "/v2/analytics/webhooks?start_time=a&end_time=b&event_names=c&event_names=d&page=1",
                "/v2/rooms?", "/v2/rooms?&", "/v2/rooms?name=a&enabled=true&limit=10&start=",
                "/v2/rooms?after=2026-11-21T01:09:07.120Z&before=2026-11-22T01:09:07.120Z",
                "/v2/live-streams?room_id=demo&session_id=a&status=running&start=a&limit=10",
                "/v2/sessions?room_id=demo&active=true&limit=10",
                "/v2/recording-assets?room_id=demo&session_id=a&job_id=b&status=completed",
            ] {
                let answer = try await client.execute(uri: uri, method: .get, headers: headers)
                #expect(answer.status == .ok, "\(uri): \(String(buffer: answer.body))")
            }
        }
    }

    @Test func whoHasNoTokenIsToldThatFirst() async throws {
        try await TestWorld().routes { client in
            let answer = try await client.execute(uri: "/v2/rooms?nam=a", method: .get)
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func requestsThatChangeSomethingHaveNoQuery() async throws {
        try await TestWorld.withStream { _, client, headers in
            let answer = try await client.execute(
                uri: "/v2/live-streams/room/demo/stop?metadata=main", method: .post,
                headers: headers)
            #expect(answer.status == .badRequest)
        }
    }

    /// No path in the table has been renamed.
    @Test func everyPathIsThatOfARoute() async throws {
        let routes = try await TestWorld().service.router().routes
        let paths = Set(routes.filter { $0.method == .get }.map(\.path.description))
        for path in QueryFields.paths { #expect(paths.contains(path), "\(path)") }
    }

    private static let withoutBody = [
        "/v2/live-streams/room/demo/stop", "/v2/live-streams/stream-1/stop",
        "/v2/live-streams/stream-1/pause-recording", "/v2/live-streams/stream-1/resume-recording",
        "/v2/recordings/room/demo/stop", "/v2/recordings/room/demo/pause",
        "/v2/recordings/room/demo/resume", "/v2/external-streams/room/demo/stop",
        "/v2/room-codes/room/demo", "/v2/room-codes/room/demo/role/host",
        "/v2/group-calls/demo/invitations/a/accept",
    ]

    /// A stop with `{"metadata": "main"}` would stop the other variants too.
    @Test(arguments: withoutBody) func aFieldWhereNoneBelongsIsRefused(path: String) async throws {
        try await TestWorld.withStream { _, client, headers in
            let answer = try await client.execute(
                uri: path, method: .post, headers: headers,
                body: ByteBuffer(string: #"{"metadata":"main"}"#))
            #expect(answer.status == .badRequest)
            let body = try TestJSON.decode(APIError.Body.self, answer)
            #expect(body.details == ["metadata is not known"])
        }
    }

    @Test(arguments: ["", "{}", " \n"]) func anEmptyBodyIsNone(body: String) async throws {
        try await TestWorld.withStream { _, client, headers in
            let answer = try await client.execute(
                uri: "/v2/live-streams/room/demo/stop", method: .post, headers: headers,
                body: ByteBuffer(string: body))
            #expect(answer.status == .ok)
        }
    }
}
