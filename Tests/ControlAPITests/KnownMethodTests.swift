import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ControlAPI

/// A wrong method is told from a wrong path (RFC 9110 sect. 15.5.6).
@Suite struct KnownMethodTests {
    @Test(arguments: [
        ("/v2/rooms", "DELETE", "GET, HEAD, POST"),
        ("/v2/rooms/demo", "PUT", "GET, HEAD, POST"),
        ("/v2/live-streams/room/demo/start", "GET", "POST"),
        ("/v2/live-streams/stream-1/stop", "GET", "POST"),
        ("/v2/live-streams/stream-1", "DELETE", "GET, HEAD, PATCH"),
        ("/v2/live-streams/stream-1/outputs/1", "GET", "DELETE"),
        ("/v2/templates/t/roles/r", "PATCH", "DELETE, GET, HEAD, POST"),
        ("/v2/token", "GET", "OPTIONS, POST"),
        ("/v2/sessions", "OPTIONS", "GET, HEAD"),
        ("/hls/demo/s1/master.m3u8", "POST", "GET, HEAD, OPTIONS"),
        ("/", "POST", "GET, HEAD"),
        ("/init", "POST", "GET, HEAD, OPTIONS"),
    ])
    func aWrongMethodIsAnsweredWithTheRightOnes(
        path: String, method: String, allowed: String
    ) async throws {
        let method = try #require(HTTPRequest.Method(rawValue: method))
        try await TestWorld().routes { client in
            let answer = try await client.execute(uri: path, method: method)
            #expect(answer.status == .methodNotAllowed)
            #expect(answer.headers[.allow] == allowed)
            let error = APIError.wrongMethod(
                method, allowed: allowed.split(separator: ", ").map { String($0) })
            #expect(try TestJSON.refusal(answer) == error.body)
        }
    }

    @Test(arguments: [
        "/v2/room", "/v2/rooms/demo/peers", "/v2", "/v2/live-streams/room/demo/strat", "/hls",
        "/v2/live-streams/a/b/c/d",
    ])
    func anUnknownPathIsNotFoundWhateverTheMethod(path: String) async throws {
        try await TestWorld().routes { client in
            for method in [HTTPRequest.Method.get, .post, .put, .delete] {
                let answer = try await client.execute(uri: path, method: method)
                #expect(answer.status == .notFound, "\(method) \(path)")
                #expect(answer.headers[.allow] == nil)
            }
        }
    }

    /// What a route itself does not find stays a 404.
    @Test func anUnknownRecordIsNotFound() async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/rooms/nowhere", method: .get, headers: headers)
            #expect(answer.status == .notFound)
        }
    }

    @Test func everyRouteKnowsItsOwnMethods() async throws {
        let world = try await TestWorld()
        let router = try world.service.router()
        let known = KnownMethods()
        known.learn(router)
        for route in router.routes {
            let path = route.path.map { $0.description }.map { part in
                part.hasPrefix("{") || part == "**" ? "0" : part
            }.joined(separator: "/")
            let methods = try #require(known.methods(of: path), "\(route)")
            #expect(methods.contains(route.method.rawValue), "\(route)")
        }
    }
}
