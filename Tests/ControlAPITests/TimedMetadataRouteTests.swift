import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct TimedMetadataRouteTests {
    private static let uri = "/v2/live-streams/stream-1/timed-metadata"

    @Test func itIsTakenAndAnsweredWithTheStream() async throws {
        try await TestWorld.withStream { world, client, headers in
            let payload = String(repeating: "ü", count: 100)
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers,
                body: ByteBuffer(string: #"{"payload":"\#(payload)","duration":3600}"#))
            #expect(answer.status == .ok)
            #expect(try TestJSON.object(answer)["id"] as? String == "stream-1")
            let taken = world.control.state.withLock { $0.metadata }
            #expect(taken.map(\.payload) == [payload] && taken.map(\.seconds) == [3600])
            let unauthorized = try await client.execute(uri: Self.uri, method: .post)
            #expect(unauthorized.status == .unauthorized)
        }
    }

    @Test(arguments: [
        ("", "malformed body", "payload is missing"),
        (#"{"payload":"p"}"#, "malformed body", "duration is missing"),
        (#"{"payload":1,"duration":1}"#, "malformed body", "payload is not of type string"),
        (#"{"payload":"p","duration":"1"}"#, "malformed body", "duration is not of type number"),
        (
            #"{"payload":"","duration":1}"#, "timed metadata is not valid",
            "payload must have 1 to 100 characters"
        ),
        (
            #"{"payload":"\#(String(repeating: "x", count: 101))","duration":1}"#,
            "timed metadata is not valid", "payload must have 1 to 100 characters"
        ),
        (
            #"{"payload":"p","duration":0}"#, "timed metadata is not valid",
            "duration must be from 1 to 3600 seconds"
        ),
        (
            #"{"payload":"p","duration":3601}"#, "timed metadata is not valid",
            "duration must be from 1 to 3600 seconds"
        ),
    ])
    func whatIsWrongIsNamed(body: String, message: String, detail: String) async throws {
        try await TestWorld.withStream { world, client, headers in
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers, body: ByteBuffer(string: body))
            #expect(
                try TestJSON.decode(APIError.Body.self, answer)
                    == .init(code: 400, message: message, details: [detail]))
            #expect(world.control.state.withLock { $0.metadata }.isEmpty)
        }
    }

    @Test(arguments: [
        (LiveStreamError.notRunning("stream-1"), 409),
        (.tooMuchTimedMetadata("stream-1", maximum: 5), 409),
        (.tooFast(perSecond: 5), 429), (.notFound("stream stream-1"), 404),
    ])
    func aStreamThatDoesNotTakeItSaysWhy(
        failure: LiveStreamError, code: Int
    ) async throws {
        try await TestWorld.withStream { world, client, headers in
            world.control.state.withLock { $0.failure = failure }
            let answer = try await client.execute(
                uri: Self.uri, method: .post, headers: headers,
                body: ByteBuffer(string: #"{"payload":"p","duration":1}"#))
            let body = try TestJSON.refusal(answer)
            #expect(body.code == code && body == APIError(failure).body)
            #expect((answer.headers[.retryAfter] == "1") == (code == 429))
        }
    }
}
