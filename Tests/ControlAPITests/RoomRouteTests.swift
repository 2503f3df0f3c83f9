import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Rooms
import Synchronization
import Testing
import Webhooks

@testable import ControlAPI

@Suite struct RoomRouteTests {
    private let headers: HTTPFields
    private let world: TestWorld

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
    }

    private func post(
        _ client: any TestClientProtocol, _ path: String = "", _ body: String
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/rooms\(path)", method: .post, headers: headers,
            body: ByteBuffer(string: body))
    }

    private func get(
        _ client: any TestClientProtocol, _ path: String
    ) async throws -> TestResponse {
        try await client.execute(uri: "/v2/rooms\(path)", method: .get, headers: headers)
    }

    private func names(_ response: TestResponse) throws -> [String] {
        let data = try TestJSON.object(response)["data"] as? [[String: Any]] ?? []
        return data.compactMap { $0["name"] as? String }
    }

    @Test func aRoomHas100msForm() async throws {
        try await world.routes { client in
            let made = try await post(
                client, "",
                #"{"name":"Town-Hall.1","description":"d","size":7,"max_duration_seconds":120,"#
                    + #""template_id":"default","region":"eu","polls":[],"#
                    + #""recording_info":{"enabled":false}}"#)
            #expect(made.status == .ok)
            let id = try #require(try TestJSON.object(made)["id"] as? String)
            #expect(id.count == 24 && id.allSatisfy(\.isHexDigit))
            #expect(
                String(buffer: made.body)
                    == #"{"app_id":"key","created_at":"2025-10-09T08:53:20.000000000Z","#
                    + #""customer":"key","customer_id":"key","description":"d","enabled":true,"#
                    + #""id":"\#(id)","large_room":false,"max_duration_seconds":120,"#
                    + #""name":"Town-Hall.1","recording_info":{"enabled":false},"region":"auto","#
                    + #""size":7,"template":"default","template_id":"default","#
                    + #""updated_at":"2025-10-09T08:53:20.000000000Z"}"#)
            #expect(try await get(client, "/\(id)").body == made.body)
            // A room without any fields still has a name.
            let plain = try TestJSON.object(try await post(client, "", ""))
            #expect((plain["name"] as? String)?.count == 36)
            #expect(plain["max_duration_seconds"] == nil && plain["size"] as? Int == 0)
        }
    }

    @Test func aRoomHasAReceiverOfItsOwn() async throws {
        var world = world
        world.configuration.webhooks = WebhookReach(includesPrivate: true)
        try await world.routes { client in
            let hook = #"{"headers":{"X-Key":"k"},"url":"https://example.org/hook"}"#
            let made = try await post(client, "", #"{"name":"hall","webhook":\#(hook)}"#)
            #expect(String(buffer: made.body).contains(#""webhook":{"headers":{"X-Key":"k"},"#))
            let path = "/\(try #require(try TestJSON.object(made)["id"] as? String))"
            // It stays until a request changes it.
            let kept = try TestJSON.object(try await post(client, path, #"{"size":3}"#))
            let webhook = try #require(kept["webhook"] as? [String: Any])
            #expect(webhook["url"] as? String == "https://example.org/hook")
            let plain = try TestJSON.object(
                try await post(client, path, #"{"webhook":{"url":"http://localhost:1/x"}}"#))
            let shown = try #require(plain["webhook"] as? [String: Any])
            #expect(shown["url"] as? String == "http://localhost:1/x")
            #expect((shown["headers"] as? [String: Any])?.isEmpty == true)
            let gone = try TestJSON.object(
                try await post(client, path, #"{"webhook":{"url":""}}"#))
            #expect(gone["webhook"] == nil)
            for hook in [
                #"{"url":"ftp://example.org"}"#, #"{"url":"https://"}"#, #"{"url":"example.org"}"#,
                #"{"url":"http://10.0.0.5:80800/"}"#, #"{"url":"http://%5B%5D/"}"#,
                #"{"url":"http://a","headers":{"a b":"c"}}"#,
                #"{"url":"http://a","headers":{"a":"b\r\nc: d"}}"#,
                #"{"url":"http://a","headers":{"Host":"b"}}"#,
                #"{"url":"http://a","headers":{"X-Roomcast-Signature":"b"}}"#,
            ] {
                let refused = try await post(client, path, #"{"webhook":\#(hook)}"#)
                let error = try TestJSON.decode(APIError.Body.self, refused)
                #expect(error.code == 400 && error.message == "webhook is not valid", "\(hook)")
            }
        }
    }

    @Test func aReceiverMayNotBeWhereOnlyTheServerIs() async throws {
        var world = world
        for (isAllowed, url, status) in [
            (false, "http://169.254.169.254/", 400), (true, "http://169.254.169.254/", 400),
            (false, "http://[fd00:ec2::254]/", 400), (true, "http://[fd00:ec2::254]/", 400),
            (false, "http://192.168.0.9/hook", 400), (true, "http://192.168.0.9/hook", 200),
            (false, "https://example.org/", 200),
        ] {
            world.configuration.webhooks = WebhookReach(includesPrivate: isAllowed)
            try await world.routes { client in
                let answer = try await post(client, "", #"{"webhook":{"url":"\#(url)"}}"#)
                #expect(answer.status.code == status, "\(url)")
                let isNamed = String(buffer: answer.body).contains("webhooks.allowPrivate")
                #expect(isNamed == (status == 400 && !isAllowed))
            }
        }
    }

    @Test func aKnownNameIsTheSameRoom() async throws {
        try await world.routes { client in
            let first = try TestJSON.object(
                try await post(client, "", #"{"name":"Hall","size":5}"#))
            let second = try TestJSON.object(
                try await post(client, "", #"{"name":"hALL","description":"x"}"#))
            #expect(first["id"] as? String == second["id"] as? String)
            #expect(second["size"] as? Int == 5 && second["description"] as? String == "x")
        }
    }

    @Test func aRoomsIdIsItsNameIfOneAsksForIt() async throws {
        try await world.routes { client in
            let wish = #"{"name":"stand-up","plain_id":true}"#
            let made = try await post(client, "", wish)
            #expect(try TestJSON.object(made)["id"] as? String == "stand-up")
            #expect(try TestJSON.object(made)["plain_id"] == nil)
            #expect(try await post(client, "", wish).body == made.body)
            // A known name is the same room, whatever its id.
            let random = try TestJSON.object(try await post(client, "", #"{"name":"hall"}"#))
            let again = try await post(client, "", #"{"name":"hall","plain_id":true}"#)
            #expect(try TestJSON.object(again)["id"] as? String == random["id"] as? String)
            // The id of a room that has another name by now.
            _ = try await post(client, "/stand-up", #"{"name":"sit-down"}"#)
            let taken = try await post(client, "", wish)
            #expect(taken.status == .conflict)
            #expect(try TestJSON.refusal(taken) == APIError.nameTaken(by: "stand-up").body)
            for refused in [#"{"plain_id":true}"#, #"{"name":"a.b","plain_id":true}"#] {
                let answer = try await post(client, "", refused)
                #expect(answer.status == .badRequest)
                #expect(String(buffer: answer.body).contains("with plain_id"))
            }
            let changed = try await post(client, "/stand-up", #"{"plain_id":true}"#)
            #expect(changed.status == .badRequest)
        }
    }

    @Test func aRoomIsDisabledAndEnabledAndTheDoorHearsOfIt() async throws {
        try await world.routes { client in
            let made = try TestJSON.object(try await post(client, "", #"{"name":"hall"}"#))
            let id = try #require(made["id"] as? String)
            for isEnabled in [false, true] {
                let answer = try await post(client, "/\(id)", #"{"enabled":\#(isEnabled)}"#)
                #expect(try TestJSON.object(answer)["enabled"] as? Bool == isEnabled)
                #expect(try TestJSON.object(answer)["name"] as? String == "hall")
            }
            let changes = world.gateway.state.withLock { $0.changes }
            #expect(changes.map(\.isEnabled) == [true, false, true])
            #expect(world.gateway.state.withLock { $0.enabling } == [false, true])
            #expect(changes.allSatisfy { $0.id == RoomID(id) })
        }
    }

    @Test func changesOfARoomAreOfWhatTheyName() async throws {
        try await world.routes { client in
            let other = try TestJSON.object(try await post(client, "", #"{"name":"other"}"#))
            let made = try TestJSON.object(
                try await post(client, "", #"{"name":"hall","large_room":true,"size":20000}"#))
            let path = "/\(try #require(made["id"] as? String))"
            let taken = try await post(client, path, #"{"name":"OTHER","description":"x"}"#)
            #expect(taken.status == .conflict)
            let owner = RoomID(try #require(other["id"] as? String))
            #expect(try TestJSON.refusal(taken) == APIError.nameTaken(by: owner).body)
            let small = try await post(client, path, #"{"large_room":false}"#)
            #expect(small.status == .badRequest)
            let now = try TestJSON.object(try await get(client, path))
            #expect(now["size"] as? Int == 20000 && now["description"] as? String == "")
            let timed = try await post(client, path, #"{"max_duration_seconds":43200}"#)
            #expect(try TestJSON.object(timed)["max_duration_seconds"] as? Int == 43200)
            let free = try await post(client, path, #"{"max_duration_seconds":0}"#)
            #expect(try TestJSON.object(free)["max_duration_seconds"] == nil)
        }
    }

    @Test(arguments: [
        (#"{"name":""}"#, "name is not valid"), (#"{"name":"a b"}"#, "name is not valid"),
        (#"{"name":"\#(String(repeating: "a", count: 129))"}"#, "name is not valid"),
        (
            #"{"description":"\#(String(repeating: "ä", count: 513))"}"#,
            "description is not valid"
        ),
        (#"{"template_id":"none"}"#, "template not found"),
        (#"{"template":"default"}"#, "Invalid body param"),
        (#"{"template":"default","template_id":"default"}"#, "Invalid body param"),
        (#"{"region":"mars"}"#, "region is not supported"),
        (#"{"size":2501}"#, "size is not valid"), (#"{"size":-1}"#, "size is not valid"),
        (#"{"size":20001,"large_room":true}"#, "size is not valid"),
        (#"{"max_duration_seconds":119}"#, "max_duration_seconds is not valid"),
        (#"{"max_duration_seconds":43201}"#, "max_duration_seconds is not valid"),
        (#"{"enabled":"no"}"#, "malformed body"), (#"["#, "malformed body"),
        // This server has no webhooks.
        (#"{"webhook":{"url":"https://example.org"}}"#, "webhook is not supported"),
        (#"{"webhook":{"headers":{}}}"#, "malformed body"),
        (#"{"polls":["631b2654f771854d9bf633dg"]}"#, "polls are not supported"),
        (#"{"recording_info":{"enabled":true}}"#, "recording_info is not supported"),
        (
            #"{"recording_info":{"enabled":false,"upload_info":{"type":"s3"}}}"#,
            "recording_info is not supported"
        ),
    ])
    func whatCannotBeMeantIsRefused(body: String, message: String) async throws {
        try await world.routes { client in
            let answer = try await post(client, "", body)
            #expect(answer.status == .badRequest)
            let error = try TestJSON.decode(APIError.Body.self, answer)
            #expect(error.message == message && error.details.count == 1)
            #expect(try names(try await get(client, "")) == [])
            #expect(world.gateway.state.withLock { $0.changes } == [])
        }
    }

    @Test func aResponseMayBeSentBackAsAChange() async throws {
        try await world.routes { client in
            let made = try await post(client, "", #"{"name":"hall"}"#)
            let id = try #require(try TestJSON.object(made)["id"] as? String)
            let back = try await post(client, "/\(id)", String(buffer: made.body))
            #expect(back.status == .ok && back.body == made.body)
        }
    }

    @Test func roomsAreListedByNameStateAndTime() async throws {
        let catalogue = world.catalogue
        for index in 0..<25 {
            _ = try await catalogue.registerRoom(
                CatalogueRoom(
                    id: RoomID("r\(index)"), name: "r\(index)", isEnabled: index % 5 != 0,
                    template: index > 20 ? "t" : nil,
                    createdAt: UnixTime(seconds: 1_760_000_000 + Int64(index))),
                otherName: "x")
        }
        let enabled = (0..<25).reversed().filter { $0 % 5 != 0 }.map { "r\($0)" }
        try await world.routes { client in
            for (query, expected) in [
                ("", Array(enabled.prefix(10))), ("?limit=100", enabled),
                ("?start=r11&limit=100", Array(enabled.suffix(8))),
                ("?start=", Array(enabled.prefix(10))),
                ("?enabled=false", ["r20", "r15", "r10", "r5", "r0"]),
                ("?enabled=true&start=r4", ["r3", "r2", "r1"]),
                ("?name=R7", ["r7"]), ("?name=r5&enabled=false", ["r5"]), ("?name=r5", []),
                ("?name=none", []), ("?template_id=t", ["r24", "r23", "r22", "r21"]),
                ("?template_id=t&name=r3", []), ("?template_id=default&name=r3", ["r3"]),
                ("?template_id=default", Array(enabled.dropFirst(4).prefix(10))),
                ("?template_id=default&enabled=false", ["r20", "r15", "r10", "r5", "r0"]),
                ("?template_id=none", []),
                (
                    "?after=2025-10-09T08:53:22Z&before=2025-10-09T08:53:24.000Z",
                    ["r4", "r3", "r2"]
                ),
                ("?before=2025-10-09T08:53:21.000000000Z", ["r1"]),
                ("?before=2025-10-09T10:53:21+02:00", ["r1"]),
                ("?after=2025-10-09T08:53:44Z", ["r24"]),
            ] {
                #expect(try names(try await get(client, query)) == expected, "\(query)")
            }
            let page = try TestJSON.object(try await get(client, "?limit=15"))
            #expect(page["limit"] as? Int == 15 && page["last"] as? String == "r7")
            for query in ["?limit=9", "?enabled=1", "?after=yesterday", "?name=a/b", "?start=a.b"] {
                #expect(try await get(client, query).status == .badRequest, "\(query)")
            }
        }
    }

    @Test func whoHasNoTokenAndWhatIsNotThereAreRefused() async throws {
        try await world.routes { client in
            for (path, method) in [
                ("", HTTPRequest.Method.get), ("", .post), ("/x", .get), ("/x", .post),
            ] {
                let answer = try await client.execute(uri: "/v2/rooms\(path)", method: method)
                #expect(answer.status == .unauthorized)
            }
            #expect(try await get(client, "/none").status == .notFound)
            #expect(try await post(client, "/none", "{}").status == .notFound)
            #expect(try await get(client, "/a.b").status == .badRequest)
        }
    }
}
