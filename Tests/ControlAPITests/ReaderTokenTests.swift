import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import Streams
import Testing
import Tokens

@testable import ControlAPI

/// What a token for looking at recordings opens, and that it opens nothing else.
@Suite struct ReaderTokenTests {
    /// The only routes for readers.
    private static let open: Set<String> = [
        "GET /api/recordings", "GET /api/recordings/{recording}",
        "GET /api/recordings/{recording}/link", "GET /v2/recordings",
        "GET /v2/recordings/{recording}", "GET /v2/recording-assets",
        "GET /v2/recording-assets/{asset}", "GET /v2/recording-assets/{asset}/presigned-url",
    ]

    private func headers(_ world: TestWorld) throws -> HTTPFields {
        [.authorization: "Bearer \(try world.authority.makeRecordingsToken(at: TestWorld.now))"]
    }

    /// A path of a route: each parameter is some text.
    private func path(_ route: String) -> String {
        route.split(separator: "/").map { $0.hasPrefix("{") ? "x" : String($0) }
            .reduce(into: "") { $0 += "/\($1)" }
    }

    @Test func everyOtherRouteRefusesIt() async throws {
        let world = try await TestWorld()
        let reader = try headers(world)
        let routes = try world.service.router().routes
            .filter { $0.method != .options && !$0.path.description.contains("**") }
            .map { (method: $0.method, path: $0.path.description) }
        try await world.routes { client in
            var (managed, opened) = (0, Set<String>())
            for route in routes {
                let uri = path(route.path)
                let name = "\(route.method.rawValue) \(route.path)"
                let plain = try await client.execute(uri: uri, method: route.method)
                let tokenless = APIError.managementToken(.missing).body
                guard plain.status == .unauthorized, try TestJSON.refusal(plain) == tokenless
                else { continue }
                managed += 1
                let answer = try await client.execute(
                    uri: uri, method: route.method, headers: reader)
                if answer.status == .forbidden {
                    let refusal = try TestJSON.refusal(answer)
                    #expect(refusal == APIError.readerOnly().body, "\(name)")
                } else {
                    #expect(answer.status == .ok || answer.status == .notFound, "\(name)")
                    opened.insert(name)
                }
            }
            #expect(opened == Self.open)
            #expect(managed > 60)
        }
    }

    @Test func itIsCheckedLikeAnyOther() async throws {
        let world = try await TestWorld()
        let old = try world.authority.makeRecordingsToken(
            at: TestWorld.now + .seconds(-7200), lifetime: .seconds(3600))
        try await world.routes { client in
            for path in ["/api/recordings", "/v2/rooms"] {
                let answer = try await client.execute(
                    uri: path, method: .get, headers: [.authorization: "Bearer \(old)"])
                #expect(answer.status == .unauthorized, "\(path)")
                let details = try TestJSON.object(answer)["details"] as? [String]
                #expect(details?.first?.hasPrefix("token is expired") == true)
            }
        }
    }

    @Test func thePageIsToldWhatItsTokenMay() async throws {
        var world = try await TestWorld()
        for isOpen in [false, true] {
            world.configuration.showsRecordings = isOpen
            let (reader, manager) = (try headers(world), try await world.managementHeaders())
            try await world.routes { client in
                func mayChange(_ headers: HTTPFields) async throws -> Bool? {
                    let answer = try await client.execute(
                        uri: "/api/recordings", method: .get, headers: headers)
                    return try TestJSON.object(answer)["may_change"] as? Bool
                }
                let answers = [try await mayChange(reader), try await mayChange(manager)]
                #expect(answers == [false, true])
                // Without a token there is no list, unless it is open.
                let open = try await mayChange([:])
                #expect(open == (isOpen ? true : nil))
            }
        }
    }
}
