import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct WarningTests {
    /// A start that may not be what was meant is answered, with words about it.
    @Test(arguments: [
        ("/v2/live-streams/room/demo/start", "{}"), ("/v2/recordings/room/demo/start", "{}"),
        ("/v2/live-streams/room/demo/start", #"{"recording":{"hls_vod":true}}"#),
        (
            "/v2/external-streams/room/demo/start",
            #"{"rtmp_urls":["rtmp://example.org/live/key"]}"#
        ),
    ])
    func warningsAreInTheAnswerToAStart(path: String, body: String) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for warnings in [[], ["room demo does not exist"]] {
                world.control.state.withLock { $0.warnings = warnings }
                let answer = try await client.execute(
                    uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
                #expect(answer.status == .ok)
                let told = try TestJSON.object(answer)["warnings"] as? [String]
                #expect(told == (warnings.isEmpty ? nil : warnings))
            }
        }
    }
}
