import Hummingbird
import HummingbirdTesting
import MediaKernel
import Synchronization
import Testing

@testable import ControlAPI

/// The layout in the control API, as it is asked for, changed and refused.
@Suite struct LayoutRouteTests {
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
            #expect(String(buffer: changed.body).contains(#""layout":{"focus":null,"gap":4}"#))
        }
    }

    @Test(arguments: [
        ("{}", "layout is missing"), (#"{"gap":4}"#, "gap is not valid"),
        (#"{"layout":{},"ladder":[]}"#, "ladder is not valid"),
        ("[]", "the body is not of type object"), ("", "layout is missing"),
    ])
    func aChangeMustNameTheLayoutOnly(body: String, reason: String) async throws {
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
