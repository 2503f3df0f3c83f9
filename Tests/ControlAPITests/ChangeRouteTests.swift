import Hummingbird
import HummingbirdTesting
import MediaKernel
import Stage
import Streams
import Synchronization
import Testing

@testable import ControlAPI

/// The layout and the audible roles in the control API: requested, changed and refused.
@Suite struct ChangeRouteTests {
    @Test func aLayoutIsHandedOnAndShown() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers,
                body: ByteBuffer(string: #"{"layout":{"name":"pip"}}"#))
            #expect(
                world.control.state.withLock { $0.requests.first?.layout }
                    == .object(["name": .string("pip")]))
            let changed = try await client.execute(
                uri: "/v2/live-streams/stream-1", method: .patch, headers: headers,
                body: ByteBuffer(string: #"{"layout":{"gap":4,"focus":null}}"#))
            #expect(changed.status == .ok)
            #expect(String(buffer: changed.body).contains(#""focus":null,"gap":4,"#))
        }
    }

    @Test(arguments: [
        ("{}", "layout or audio is missing"), (#"{"gap":4}"#, "gap is not known"),
        (#"{"layout":{},"ladder":[]}"#, "ladder is not known"),
        (
            #"{"layout":{"focus":{"pear":"a"}}}"#,
            "layout.focus.pear is not known; did you mean peer?"
        ),
        ("[]", "the body is not of type object"), ("", "layout or audio is missing"),
        (#"{"audio":[]}"#, "audio is not of type object"),
        (#"{"audio":{}}"#, "audio.roles is missing"),
        (#"{"audio":{"roles":"host"}}"#, "audio.roles is not of type array"),
        (#"{"audio":{"roles":["host",5]}}"#, "audio.roles is not of type array"),
        (#"{"audio":{"roles":[""]}}"#, "roles are at most 64 names of 1 to 128 bytes"),
        (
            #"{"audio":{"roles":null,"only":true}}"#,
            "audio.only cannot be changed while the stream is on air"
        ),
        (#"{"audio":{"roles":null,"gain":2}}"#, "audio.gain is not known"),
    ])
    func aChangeMustNameWhatCanBeChanged(body: String, reason: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/v2/live-streams/stream-1", method: .patch, headers: headers,
                body: ByteBuffer(string: body))
            #expect(response.status == .badRequest)
            #expect(String(buffer: response.body).contains(reason))
        }
    }

    @Test func aRecordingIsPausedAndResumed() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            for (action, isPaused) in [("pause", true), ("resume", false)] {
                let uri = "/v2/live-streams/stream-1/\(action)-recording"
                let answer = try await client.execute(uri: uri, method: .post, headers: headers)
                #expect(answer.status == .ok)
                #expect(try TestJSON.object(answer)["recording_paused"] as? Bool == isPaused)
                #expect(try await client.execute(uri: uri, method: .post).status == .unauthorized)
            }
            world.control.state.withLock { $0.failure = .notRecorded("stream-1") }
            let refused = try await client.execute(
                uri: "/v2/live-streams/stream-1/pause-recording", method: .post, headers: headers)
            #expect(refused.status == .conflict)
            #expect(
                try TestJSON.decode(APIError.Body.self, refused)
                    == .init(
                        code: 409, message: "live stream is not recorded",
                        details: ["stream stream-1"]))
        }
    }

    @Test func rolesAreChangedAndShown() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            for (roles, layout) in [
                (#"["host"]"#, ""), ("[]", #","layout":{"gap":4}"#), ("null", ""),
            ] {
                let changed = try await client.execute(
                    uri: "/v2/live-streams/stream-1", method: .patch, headers: headers,
                    body: ByteBuffer(string: #"{"audio":{"roles":\#(roles)}\#(layout)}"#))
                #expect(changed.status == .ok)
                let body = String(buffer: changed.body)
                #expect(body.contains(#""audio":{"only":false,"roles":\#(roles)}"#))
            }
            #expect(
                world.control.state.withLock { $0.streams[0].plan.layout } == Layout(gap: 4))
        }
    }

    @Test func aRefusedLayoutIsA400AndAnEndedStreamA409() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for (failure, status) in [
                (
                    LiveStreamError.invalidLayout("layout.gap must be"),
                    HTTPResponse.Status.badRequest
                ),
                (.notOnAir("stream-1"), .conflict), (.notFound("stream"), .notFound),
            ] {
                world.control.state.withLock { $0.failure = failure }
                let response = try await client.execute(
                    uri: "/v2/live-streams/stream-1", method: .patch, headers: headers,
                    body: ByteBuffer(string: #"{"layout":{}}"#))
                #expect(response.status == status)
            }
        }
    }
}
