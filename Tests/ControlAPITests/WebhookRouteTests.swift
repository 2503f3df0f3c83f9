import Catalogue
import Foundation
import Hummingbird
import HummingbirdTesting
import MediaKernel
import Testing

@testable import ControlAPI

@Suite struct WebhookRouteTests {
    /// A world with 12 events in the outbox; e0 is delivered, e1 was given up.
    private func world() async throws -> TestWorld {
        let world = try await TestWorld()
        for index in 0..<12 {
            try await world.catalogue.save(
                CatalogueDelivery(
                    id: "e\(index)", line: index % 2 == 0 ? "s0" : "s1",
                    room: index < 6 ? "demo" : "other", kind: "hls.started.success",
                    body: Array(#"{"id":"e\#(index)","data":{"n":\#(index)}}"#.utf8),
                    createdAt: UnixTime(seconds: 1_760_000_000 + Int64(index))))
        }
        try await world.catalogue.update(
            delivery: "e0", status: .delivered, dueAt: UnixTime(seconds: 1_760_000_100))
        try await world.catalogue.update(
            delivery: "e1", status: .failed, attempts: 30,
            dueAt: UnixTime(seconds: 1_760_000_200))
        return world
    }

    private func ids(_ response: TestResponse) throws -> [String] {
        let data = try TestJSON.object(response)["data"] as? [[String: Any]] ?? []
        return data.compactMap { $0["id"] as? String }
    }

    @Test(arguments: [
        ("", (2..<12).reversed().map { "e\($0)" }), ("?start=e2", ["e1", "e0"]),
        ("?room_id=demo", (0..<6).reversed().map { "e\($0)" }),
        ("?stream_id=s1&room_id=demo", ["e5", "e3", "e1"]), ("?status=success", ["e0"]),
        ("?status=failed", ["e1"]), ("?status=pending&room_id=demo", ["e5", "e4", "e3", "e2"]),
    ])
    func theHistoryIsAListTheLatestFirst(query: String, expected: [String]) async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/analytics/webhooks\(query)", method: .get, headers: headers)
            #expect(try ids(answer) == expected)
        }
    }

    @Test func anEventIsShownWithItsBodyAndHowItWent() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/analytics/webhooks/e1", method: .get, headers: headers)
            #expect(
                String(buffer: answer.body)
                    == #"{"attempts_failed":30,"created_at":"2025-10-09T08:53:21.000000000Z","#
                    + #""event":{"data":{"n":1},"id":"e1"},"id":"e1","next_attempt_at":null,"#
                    + #""room_id":"demo","status":"failed","type":"hls.started.success","#
                    + #""updated_at":"2025-10-09T08:56:40.000000000Z"}"#)
        }
    }

    @Test func anEventThatCameToItsEndIsToldOnceMore() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        let catalogue = world.catalogue
        try await world.routes { client in
            for id in ["e0", "e1", "e5"] {
                let answer = try await client.execute(
                    uri: "/v2/analytics/webhooks/\(id)/replay", method: .post, headers: headers)
                #expect(answer.status == .ok)
                #expect(try TestJSON.object(answer)["status"] as? String == "pending")
            }
            #expect(try await catalogue.delivery("e1")?.attempts == 0)
        }
    }

    @Test func whatIsToldOnceMoreIsMadeAnew() async throws {
        var world = try await world()
        world.renewedBody = { $0.id == "e0" ? Array(#"{"n":"new"}"#.utf8) : nil }
        let headers = try await world.managementHeaders()
        let catalogue = world.catalogue
        let before = try await catalogue.delivery("e1")?.body
        try await world.routes { client in
            for id in ["e0", "e1"] {
                _ = try await client.execute(
                    uri: "/v2/analytics/webhooks/\(id)/replay", method: .post, headers: headers)
            }
        }
        #expect(try await catalogue.delivery("e0")?.body == Array(#"{"n":"new"}"#.utf8))
        #expect(try await catalogue.delivery("e1")?.body == before)
    }

    @Test(arguments: [
        ("?limit=9", 400), ("?status=lost", 400), ("?room_id=a%2Fb", 400), ("/none", 404),
        ("/..%2Fx", 404),
    ])
    func whatCannotBeAnsweredIsRefused(uri: String, status: Int) async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let path = "/v2/analytics/webhooks\(uri)"
            let answer = try await client.execute(uri: path, method: .get, headers: headers)
            #expect(answer.status.code == status)
            #expect(try await client.execute(uri: path, method: .get).status == .unauthorized)
        }
    }
}
