import Catalogue
import Foundation
import GroupCalls
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct GroupCallRouteTests {
    private let headers: HTTPFields
    private let world: TestWorld
    private var calls: CallsDouble { world.calls }

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
    }

    private func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String = "",
        _ body: String = ""
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/group-calls\(path)", method: method, headers: headers,
            body: ByteBuffer(string: body))
    }

    private func make(
        _ client: any TestClientProtocol, _ type: String = "small_room_for_video",
        by user: String = "ann"
    ) async throws -> String {
        let made = try await send(
            client, .post, "", #"{"type":"\#(type)","created_by":"\#(user)"}"#)
        return try #require(try TestJSON.object(made)["room_id"] as? String)
    }

    private func message(_ response: TestResponse) throws -> String {
        let error = try TestJSON.decode(APIError.Body.self, response)
        return "\(error.code) \(error.message)"
    }

    @Test func aCallIsMadeAndFound() async throws {
        try await world.routes { client in
            let made = try await send(
                client, .post, "",
                #"{"type":"small_room_for_video","custom_items":{"topic":"a"},"#
                    + #""created_by":"ann","name":"Stand-up","template_id":"default"}"#)
            #expect(made.status == .ok)
            let id = try #require(try TestJSON.object(made)["room_id"] as? String)
            #expect(
                String(buffer: made.body)
                    == #"{"created_at":"2025-10-09T08:53:20.000000000Z","created_by":"ann","#
                    + #""custom_items":{"topic":"a"},"default_image":null,"deleted_at":null,"deleted_by":null,"#
                    + #""participants":0,"participants_maximum":6,"room_id":"\#(id)","#
                    + #""state":"open","type":"small_room_for_video","version":1}"#)
            #expect(try await send(client, .get, "/\(id)").body == made.body)
            calls.state.withLock { $0.participants[RoomID(id)] = 4 }
            let found = try TestJSON.object(try await send(client, .get, "/\(id)"))
            #expect(found["participants"] as? Int == 4)
            // It is a room too.
            let room = try #require(try await world.catalogue.room(RoomID(id)))
            #expect(room.name == "Stand-up" && room.size == 6 && room.template == nil)
            #expect(
                try TestJSON.refusal(
                    try await send(
                        client, .post, "",
                        #"{"type":"large_room_for_audio_only","name":"stand-up"}"#))
                    == APIError.nameTaken(by: RoomID(id)).body)
            #expect(
                try TestJSON.refusal(try await send(client, .get, "/none"))
                    == APIError(CallError.unknownCall("none")).body)
        }
    }

    @Test(arguments: [
        (#"{}"#, "malformed body"), (#"{"type":"huge"}"#, "type is not valid"),
        (#"{"type":"small_room_for_video","custom_items":{"a":1}}"#, "malformed body"),
        (
            #"{"type":"small_room_for_video","custom_items":{"":"b"}}"#,
            "a key of the custom items is empty"
        ),
        (#"{"type":"small_room_for_video","custom_item":{}}"#, "malformed body"),
        (#"{"type":"small_room_for_video","name":"a b"}"#, "name is not valid"),
        (#"{"type":"small_room_for_video","template_id":"none"}"#, "template not found"),
        (
            #"{"type":"small_room_for_video","default_image":"p.png"}"#,
            "default_image is an http or https address of at most 2048 bytes"
        ),
    ])
    func aWrongCallIsRefused(body: String, reason: String) async throws {
        try await world.routes { client in
            let refused = try await send(client, .post, "", body)
            #expect(try message(refused) == "400 \(reason)")
        }
    }

    @Test func onlyServersMayAsk() async throws {
        try await world.routes { client in
            let answer = try await client.execute(uri: "/v2/group-calls", method: .get)
            #expect(answer.status == .unauthorized)
        }
    }

    private func list(
        _ client: any TestClientProtocol, _ query: String
    ) async throws -> (ids: [String], next: String) {
        let answer = try TestJSON.object(try await send(client, .get, "?\(query)"))
        let data = answer["data"] as? [[String: Any]] ?? []
        return (data.compactMap { $0["room_id"] as? String }, answer["next"] as? String ?? "none")
    }

    @Test func aListHasAllFilters() async throws {
        try await world.routes { client in
            let a = try await make(client)
            let b = try await make(client, "large_room_for_audio_only", by: "ben")
            let both = [a, b].sorted(by: >)
            calls.state.withLock { $0.participants = [RoomID(b): 7] }
            for (query, ids) in [
                ("", both), ("room_ids=\(a),\(b)", both), ("room_ids=\(a)&room_ids=\(b)", both),
                ("room_ids=\(a)", [a]), ("types=large_room_for_audio_only", [b]),
                ("types=small_room_for_video,large_room_for_audio_only", both),
                ("created_by=ben,cem", [b]), ("state=open", both), ("state=deleted", []),
                ("created_at_from=2025-10-09T08:53:20Z", both),
                ("created_at_from=2025-10-09T08:53:21Z", []),
                ("created_at_to=2025-10-09T08:53:19Z", []),
                ("created_at_to=2025-10-09T08:53:20Z", both),
                ("participants_from=1", [b]), ("participants_to=6", [a]),
                ("participants_from=7&participants_to=7&state=open&created_by=ben", [b]),
            ] {
                #expect(try await list(client, query).ids == ids, "\(query)")
            }
        }
    }

    @Test func aListIsPagedByToken() async throws {
        try await world.routes { client in
            var made: [String] = []
            for _ in 1...12 { made.append(try await make(client)) }
            let first = try await list(client, "limit=10&state=open")
            #expect(first.ids.count == 10 && !first.next.isEmpty)
            let rest = try await list(client, "limit=10&state=open&token=\(first.next)")
            #expect(rest.ids.count == 2 && rest.next.isEmpty)
            #expect(Set(first.ids + rest.ids) == Set(made))
            #expect(
                try message(try await send(client, .get, "?token=\(first.next)"))
                    == "400 token is that of a list with other filters")
        }
    }

    @Test(arguments: [
        ("types=big", "types is not valid"), ("state=closed", "state is not valid"),
        ("room_ids=a%20b", "room_id is not valid"),
        ("created_at_from=yesterday", "created_at_from is not valid"),
        ("participants_to=-1", "participants_to is not valid"),
        ("participants_from=many", "participants_from is not valid"),
        ("limit=1000", "limit is not valid"), ("token=x", "token is none of a list's"),
        (
            "created_by=" + (0...100).map { "u\($0)" }.joined(separator: ","),
            "created_by is too long: 101 of at most 100"
        ),
    ])
    func aWrongListIsRefused(query: String, reason: String) async throws {
        try await world.routes { client in
            let refused = try await send(client, .get, "?\(query)")
            #expect(try message(refused) == "400 \(reason)")
        }
    }

    @Test func requestsArePassedOn() async throws {
        try await world.routes { client in
            let id = try await make(client)
            let items = try TestJSON.object(
                try await send(
                    client, .post, "/\(id)/custom-items", #"{"custom_items":{"a":"b"}}"#))
            #expect(items["keys"] as? [String] == ["a"] && items["version"] as? Int == 2)
            let shown = try TestJSON.object(try await send(client, .get, "/\(id)/custom-items"))
            #expect(
                shown["version"] as? Int == 0 && shown.keys.sorted() == ["custom_items", "version"])
            _ = try await send(client, .delete, "/\(id)/custom-items", #"{"keys":["a"]}"#)
            _ = try await send(client, .delete, "/\(id)/custom-items")
            _ = try await send(
                client, .post, "/\(id)/invitations",
                #"{"user_id":"ben","inviter":"ann","role":"guest","expires_in":9}"#)
            for (act, state) in [
                ("accept", "accepted"), ("decline", "declined"), ("cancel", "canceled"),
            ] {
                let ended = try TestJSON.object(
                    try await send(client, .post, "/\(id)/invitations/i1/\(act)"))
                #expect(ended["state"] as? String == state)
                #expect(ended["token"] as? String == (act == "accept" ? "a-token" : nil))
            }
            #expect(try await send(client, .delete, "/\(id)").status == .ok)
            #expect(
                calls.state.withLock { $0.requests } == [
                    .setItems(["a": "b"]), .removeItems(["a"]), .removeItems(nil),
                    .invite(
                        CallRequest.Invite(user: "ben", seconds: 9, inviter: "ann", role: "guest")),
                    .end("i1", .accept), .end("i1", .decline), .end("i1", .cancel), .delete,
                ])
        }
    }

    @Test func invitationsAreListedAsTheyAreNow() async throws {
        try await world.routes { client in
            calls.state.withLock { state in
                state.invitations = [0, 60].map { seconds in
                    Invitation(
                        id: InvitationID("i\(seconds)"), call: "r", inviter: nil, invitee: "ben",
                        role: "guest",
                        createdAt: TestWorld.now + .seconds(-30),
                        expiresAt: TestWorld.now + .seconds(seconds))
                }
            }
            let answer = try TestJSON.object(try await send(client, .get, "/r/invitations"))
            let data = try #require(answer["data"] as? [[String: Any]])
            #expect(data.map { $0["state"] as? String } == ["expired", "pending"])
        }
    }

    @Test func filesAreNumberedAndHaveNewLinks() async throws {
        try await world.routes { client in
            let id = try await make(client)
            func file(
                _ name: String, _ seconds: Int, size: CatalogueAsset.Size?
            ) -> CatalogueAsset {
                CatalogueAsset(
                    id: name, stream: "s1", room: RoomID(id), session: nil, kind: .roomComposite,
                    status: name == "gone" ? .expired : .completed, path: "r/\(name).mp4",
                    byteCount: 5, duration: .seconds(7),
                    createdAt: TestWorld.now + .seconds(seconds),
                    expiresAt: TestWorld.now + .seconds(14 * 86_400), size: size, layer: nil,
                    layerCount: nil)
            }
            try await world.catalogue.save([
                file("b", 2, size: nil), file("gone", 1, size: nil),
                file("a", 0, size: CatalogueAsset.Size(width: 1280, height: 720)),
            ])
            let answer = try TestJSON.object(try await send(client, .get, "/\(id)/recordings"))
            let data = try #require(answer["data"] as? [[String: Any]])
            #expect(data.map { $0["number"] as? Int } == [1, 2, 3])
            #expect(data.map { $0["asset_id"] as? String } == ["a", "gone", "b"])
            #expect(data.map { $0["format"] as? String } == ["mp4", "aac", "aac"])
            #expect(data[0]["height"] as? Int == 720 && data[0]["duration"] as? Int == 7)
            #expect((data[0]["url"] as? String)?.hasSuffix("/a.mp4") == true)
            // Valid for a day.
            #expect(data[0]["url_expires_at"] as? String == "2025-10-10T08:53:20.000000000Z")
            #expect(data[0]["kept_until"] as? String == "2025-10-23T08:53:20.000000000Z")
            #expect(data[1]["url"] is NSNull && answer["next"] is NSNull)
            #expect(
                try TestJSON.refusal(try await send(client, .get, "/none/recordings"))
                    == APIError(CallError.unknownCall("none")).body)
            #expect(
                try message(try await send(client, .get, "/\(id)/recordings?after=x"))
                    == "400 after is not valid")
        }
    }

    @Test func refusalsHaveTheirStatus() async throws {
        try await world.routes { client in
            for (refusal, status) in [
                (CallError.unknownCall("r"), 404), (.deleted("r"), 410),
                (.alreadyInvited(user: "ben"), 409), (.notYours("i"), 403),
                (.unavailable("disk full"), 503),
            ] {
                calls.state.withLock { $0.refusal = refusal }
                let refused = try await send(client, .delete, "/r")
                #expect(refused.status.code == status)
                #expect(try TestJSON.refusal(refused) == APIError(refusal).body)
            }
            #expect(
                try message(try await send(client, .post, "/r/invitations/a%20b/accept"))
                    == "400 invitation_id is not valid")
        }
    }
}
