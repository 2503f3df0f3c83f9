import HTTPTypes
import HummingbirdTesting
import Testing
import Tokens

@testable import ControlAPI

/// Requests in one packet are answered in order, one answer each.
@Suite(.timeLimit(.minutes(5))) struct PipelinedRequestTests {
    private static let good = "GET /health HTTP/1.1\r\nHost: h\r\n\r\n"

    /// The status codes of all answers until the server closes the connection.
    private func statuses(_ requests: String) async throws -> [Int] {
        let world = try await TestWorld()
        let answer = Answer()
        try await world.live { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await client.send(requests)
                await answer.set(try await client.ending())
            }
        }
        return await answer.text.matches(of: #/HTTP/1\.1 ([0-9]{3}) /#).compactMap { Int($0.1) }
    }

    private actor Answer {
        var text = ""
        func set(_ text: String) { self.text = text }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nno field\r\n\r\n", [400]),
        ("\u{1}\u{2}\u{3}\r\n\r\n", [400]),
        ("GET / HTTP/3.7\r\nHost: h\r\n\r\n", [400]),
        (good + "no request\r\n\r\n", [200, 400]),
        (good + good + good + "GET / HTTP/1.1\r\n: x\r\n\r\n" + good, [200, 200, 200, 400]),
        (
            good + "POST /v2/rooms HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n{}",
            [200, 400]
        ),
        // Its head is valid, and is answered before its body is seen.
        (
            good
                + "POST /v2/rooms HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            [200, 401]
        ),
        (
            good + "GET /health HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            [200, 200]
        ),
    ])
    func eachRequestHasOneAnswer(requests: String, expected: [Int]) async throws {
        #expect(try await statuses(requests) == expected)
    }

    /// A reader is waiting for it by then.
    @Test func aBodyThatIsReadAndBrokenIsRefusedOnce() async throws {
        let world = try await TestWorld()
        let token = try world.authority.makeManagementToken(at: TestWorld.now)
        try await world.live { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await client.send(
                    Self.good + "POST /v2/rooms HTTP/1.1\r\nHost: h\r\n"
                        + "Authorization: Bearer \(token)\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
                )
                #expect(try await client.response().hasPrefix("HTTP/1.1 200"))
                let refusal = try await client.response()
                #expect(refusal.hasPrefix("HTTP/1.1 400"))
                #expect(refusal.lowercased().contains("connection: close"))
                #expect(try await client.ending() == "")
            }
        }
    }
}
