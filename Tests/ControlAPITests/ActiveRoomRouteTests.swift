import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import HundredMSTerms
import MediaKernel
import NIOCore
import Rooms
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct ActiveRoomRouteTests {
    private let headers: HTTPFields
    private let world: TestWorld

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
        let gateway = world.gateway
        try gateway.join("ann", role: "host", data: #"{"hand":1}"#)
        try gateway.join("ben")
        try gateway.join("bot", role: HundredMSTerms.recorderRole)
        try gateway.state.withLock { state in
            let track = Track(
                id: "v1", streamID: "s1", kind: .video, source: "screen", description: "slides",
                isMuted: true)
            try state.room.tracksPublished([track], by: "ann", wall: GatewayDouble.wall)
        }
    }

    private func call(
        _ client: any TestClientProtocol, _ path: String, _ body: String? = nil
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/active-rooms/\(path)", method: body == nil ? .get : .post, headers: headers,
            body: body.map { ByteBuffer(string: $0) })
    }

    private func text(_ response: TestResponse) -> String { String(buffer: response.body) }

    private let joinedAt = "2025-10-09T08:53:20.123000000Z"

    @Test func aRoomAndItsPeersHave100msForm() async throws {
        let session = try #require(world.gateway.state.withLock { $0.room.session })
        let ann =
            #"{"id":"ann","joined_at":"\#(joinedAt)","metadata":"{\"hand\":1}","name":"ANN","#
            + #""role":"host","#
        let ben =
            #"{"id":"ben","joined_at":"\#(joinedAt)","metadata":"","name":"BEN","role":"guest","#
        try await world.routes { client in
            #expect(
                text(try await call(client, "hall"))
                    == #"{"customer_id":"key","id":"hall","name":"Hall","session":"#
                    + #"{"created_at":"\#(joinedAt)","id":"\#(session.id)","#
                    + #""peers":["ann","ben"]}}"#)
            let peers = #"{"peers":{"#
            for (query, expected) in [
                ("", #""ann":\#(ann)"user_id":"user-ann"},"ben":\#(ben)"user_id":"user-ben"}"#),
                ("?user_id=user-ben", #""ben":\#(ben)"user_id":"user-ben"}"#),
                ("?role=host", #""ann":\#(ann)"user_id":"user-ann"}"#),
                ("?role=host&user_id=user-ben", ""), ("?role=none", ""),
            ] {
                let answer = try await call(client, "hall/peers\(query)")
                #expect(text(answer) == peers + expected + "}}", "\(query)")
            }
            #expect(
                text(try await call(client, "hall/peers/ann"))
                    == ann + #""tracks":{"v1":{"description":"slides","id":"v1","mute":true,"#
                    + #""source":"screen","started_at":"\#(joinedAt)","stream_id":"s1","#
                    + #""type":"video"}},"user_id":"user-ann"}"#)
        }
    }

    /// As in the output of `URLSearchParams` and most libraries.
    @Test func filtersMayHaveSpacesAsPluses() async throws {
        try world.gateway.join("cid", user: "C++ fan")
        try await world.routes { client in
            for (query, isFound) in [
                ("C%2B%2B+fan", true), ("C%2B%2B%20fan", true), ("C+++fan", false),
                ("C%2B%2B%2Bfan", false),
            ] {
                let answer = try await call(client, "hall/peers?user_id=\(query)")
                #expect(text(answer).contains(#""cid""#) == isFound, "\(query)")
            }
        }
    }

    @Test func aPeerIsChangedAndShown() async throws {
        try await world.routes { client in
            let changed = try await call(
                client, "hall/peers/ben", #"{"name":"Benni","metadata":"m","role":"host"}"#)
            #expect(changed.status == .ok)
            let body = try TestJSON.object(changed)
            #expect(body["name"] as? String == "Benni" && body["role"] as? String == "host")
            #expect(body["metadata"] as? String == "m")
            #expect((body["tracks"] as? [String: Any])?.isEmpty == true)
            // 100ms' documents have both.
            let object = try await call(
                client, "hall/peers/ben", #"{"metadata":{"b":[1],"a":"/"}}"#)
            #expect(
                try TestJSON.object(object)["metadata"] as? String == #"{"a":"/","b":[1]}"#)
            let same = try await call(client, "hall/peers/ben", #"{"metadata":null}"#)
            #expect(same.body == object.body)
            for (body, status) in [
                (#"{"metadata":1}"#, 400), (#"{"role":"none"}"#, 400),
                (#"{"role":"\#(HundredMSTerms.recorderRole)"}"#, 400), (#"{"name":2}"#, 400),
                (#"{"metadata":"\#(String(repeating: "x", count: 8193))"}"#, 400),
            ] {
                let refused = try await call(client, "hall/peers/ben", body)
                #expect(Int(refused.status.code) == status, "\(body)")
                #expect(try TestJSON.decode(APIError.Body.self, refused).code == status)
            }
            #expect(
                try TestJSON.object(try await call(client, "hall/peers/ben"))["name"] as? String
                    == "Benni")
        }
    }

    @Test func aMessageIsSentToAllARoleOrAPeer() async throws {
        try await world.routes { client in
            for (body, audience, type) in [
                (#"{"message":"hi \"you\""}"#, Audience.everybody, "chat"),
                (#"{"message":"hi \"you\"","role":"","peer_id":""}"#, .everybody, "chat"),
                (
                    #"{"message":"hi \"you\"","role":"guest","type":"emoji"}"#,
                    .roles(["guest"]), "emoji"
                ),
                (
                    #"{"message":"hi \"you\"","role":"guest","peer_id":"ann"}"#,
                    .peer("ann"), "chat"
                ),
                // As 100ms' SDK for Node.js writes it.
                (#"{"message":"hi \"you\"","peerId":"ann"}"#, .peer("ann"), "chat"),
            ] {
                let answer = try await call(client, "hall/send-message", body)
                #expect(text(answer) == #"{"message":"message sent"}"#)
                let message = world.gateway.state.withLock { $0.messages.last }
                #expect(message?.audience == audience && message?.type == type)
                #expect(message?.body.text == #""hi \"you\"""#)
            }
            for (body, status) in [
                ("{}", 400), (#"{"message":{"a":1}}"#, 400),
                (#"{"message":"\#(String(repeating: "x", count: 8191))"}"#, 400),
                (#"{"message":"x","role":"none"}"#, 400),
                (#"{"message":"x","peer_id":"none"}"#, 404),
                (#"{"message":"x","peer_id":"bot"}"#, 404),
            ] {
                let answer = try await call(client, "hall/send-message", body)
                #expect(Int(answer.status.code) == status, "\(body)")
            }
            #expect(world.gateway.state.withLock { $0.messages.count } == 5)
        }
    }

    @Test func peersAreRemovedByIDOrByRole() async throws {
        try await world.routes { client in
            for body in [
                "{}", #"{"peer_id":"","role":""}"#,
                #"{"peer_id":"ann","reason":"\#(String(repeating: "x", count: 1025))"}"#,
            ] {
                let answer = try await call(client, "hall/remove-peers", body)
                #expect(answer.status == .badRequest)
            }
            #expect(
                try await call(client, "hall/remove-peers", #"{"peer_id":"bot"}"#).status
                    == .notFound)
            // A peer takes precedence over a role.
            let one = try await call(
                client, "hall/remove-peers", #"{"peer_id":"ann","role":"guest","reason":"r"}"#)
            #expect(text(one) == #"{"message":"peer remove request submitted"}"#)
            #expect(world.gateway.state.withLock { $0.room.peers.visible.map(\.id) } == ["ben"])
            for body in [nil, "{}"] {
                #expect(try await call(client, "hall/peers/ann", body).status == .gone)
            }
            #expect(
                try await call(client, "hall/remove-peers", #"{"role":"guest"}"#).status == .ok)
            #expect(try await call(client, "hall").status == .notFound)
        }
    }

    @Test func aRoomIsEndedWithOrWithoutALock() async throws {
        try await world.routes { client in
            let long = #"{"lock":true,"reason":"\#(String(repeating: "x", count: 1025))"}"#
            #expect(try await call(client, "hall/end-room", long).status == .badRequest)
            let plain = try await call(client, "hall/end-room", "")
            #expect(text(plain) == #"{"message":"session is ending"}"#)
            try world.gateway.join("ann")
            _ = try await call(client, "hall/end-room", #"{"lock":true,"reason":"late"}"#)
            #expect(world.gateway.state.withLock { $0.endings } == ["false ", "true late"])
        }
    }

    @Test func whereNobodyIsThereIsNothingToDo() async throws {
        let paths: [(String, String?)] = [
            ("", nil), ("/peers", nil), ("/peers/ann", nil), ("/peers/ann", "{}"),
            ("/send-message", #"{"message":"x"}"#), ("/remove-peers", #"{"peer_id":"ann"}"#),
            ("/end-room", "{}"),
        ]
        try await world.routes { client in
            for (path, body) in paths {
                #expect(try await call(client, "other\(path)", body).status == .notFound)
                #expect(try await call(client, "a.b\(path)", body).status == .badRequest)
                let open = try await client.execute(
                    uri: "/v2/active-rooms/hall\(path)", method: body == nil ? .get : .post)
                #expect(open.status == .unauthorized)
            }
            for peer in ["bot", "nobody"] {
                #expect(try await call(client, "hall/peers/\(peer)").status == .notFound)
                #expect(try await call(client, "hall/peers/\(peer)", "{}").status == .notFound)
            }
            #expect(try await call(client, "hall/peers/a.b").status == .badRequest)
            // Only a recorder is left.
            _ = try await call(client, "hall/remove-peers", #"{"role":"guest"}"#)
            _ = try await call(client, "hall/remove-peers", #"{"role":"host"}"#)
            #expect(try await call(client, "hall").status == .notFound)
        }
    }
}
