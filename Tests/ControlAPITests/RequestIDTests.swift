import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import ControlAPI

@Suite struct RequestIDTests {
    private let name = HTTPField.Name("X-Request-ID")!

    @Test(arguments: ["a", "7c1e-B.2_x", String(repeating: "x", count: 64)])
    func aCallersIDIsInTheAnswerAndInErrors(id: String) async throws {
        let (name, world) = (name, try await TestWorld())
        try await world.routes { client in
            for path in ["/health", "/v2/rooms", "/nowhere"] {
                let answer = try await client.execute(
                    uri: path, method: .get, headers: [name: id])
                #expect(answer.headers[values: name] == [id])
                guard answer.status != .ok else { continue }
                #expect(try TestJSON.object(answer)["request_id"] as? String == id)
            }
        }
    }

    @Test(arguments: [
        "", "a b", "a\"b", "ä", "<a>", String(repeating: "x", count: 65), "a, b",
    ])
    func anotherIDThanASaneOneIsReplaced(id: String) async throws {
        let (name, world) = (name, try await TestWorld())
        try await world.routes { client in
            var ids: Set<String> = []
            for _ in 0..<2 {
                let answer = try await client.execute(
                    uri: "/v2/rooms", method: .get, headers: [name: id])
                let given = try #require(answer.headers[name])
                #expect(given != id && !given.isEmpty)
                #expect(try TestJSON.object(answer)["request_id"] as? String == given)
                ids.insert(given)
            }
            #expect(ids.count == 2)
        }
    }

    /// 100ms' clients get the fields that they know.
    @Test func bodiesForClientsAreThoseOf100ms() async throws {
        try await TestWorld().routes { client in
            let answer = try await client.execute(uri: "/init", method: .get)
            #expect(
                Set(try TestJSON.object(answer).keys) == ["code", "message", "details"])
        }
    }

    private struct Fault: Error {}

    @Test func aFaultIsLoggedWithTheID() async throws {
        let (name, lines) = (name, LogLines())
        let router = Router(context: CallerContext.self)
        router.add(middleware: RequestIDMiddleware())
        router.add(middleware: ErrorMiddleware())
        router.get("/fault") { _, _ -> String in throw Fault() }
        try await Application(router: router, logger: lines.logger).test(.router) { client in
            let answer = try await client.execute(
                uri: "/fault", method: .get, headers: [name: "call-7"])
            #expect(try TestJSON.object(answer)["request_id"] as? String == "call-7")
        }
        let line = lines.all.split(separator: "\n").first { $0.contains("request failed") }
        #expect(line?.contains("call-7") == true)
    }
}
