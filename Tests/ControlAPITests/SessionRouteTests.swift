import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Synchronization
import Testing
import Webhooks

@testable import ControlAPI

/// Sessions, events, and external streams, over HTTP.
@Suite struct SessionRouteTests {
    private let world: TestWorld
    private let headers: HTTPFields

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
    }

    private func call(
        _ client: any TestClientProtocol, _ path: String, _ body: String? = nil,
        method: HTTPRequest.Method? = nil
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/\(path)", method: method ?? (body == nil ? .get : .post),
            headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    private func save(_ id: String, isOver: Bool) async throws {
        let start = UnixTime(seconds: 1_770_000_000)
        let catalogue = world.catalogue
        try await catalogue.save(
            .opened(
                OpenSession(
                    id: SessionID(id), room: "demo", roomName: "Hall", template: "t",
                    startedAt: start)))
        try await catalogue.save(
            .entered(
                OpenSession.Attendee(
                    number: 1, peer: "p1", user: "ann", name: "Ann", data: "", role: "host",
                    joinedAt: start), SessionID(id)))
        if isOver { try await catalogue.save(.closed(SessionID(id), at: start + .seconds(90))) }
    }

    @Test func aSessionHas100msFormAndWhatBecameOfIt() async throws {
        try await save("s1", isOver: true)
        let asset = CatalogueAsset(
            id: "a1", stream: "x", room: "demo", session: "s1", kind: .roomComposite, path: "p",
            byteCount: 7, createdAt: UnixTime(seconds: 1_770_000_100))
        var stream = CatalogueStream(
            id: "x", room: "demo", session: "s1", createdAt: UnixTime(seconds: 1_770_000_000),
            directory: "demo/x")
        stream.status = .completed
        try await world.catalogue.save(stream, assets: [asset])
        try await world.routes { client in
            let answer = try await call(client, "sessions/s1")
            #expect(answer.status == .ok)
            let body = try TestJSON.object(answer)
            #expect(body["id"] as? String == "s1" && body["room_id"] as? String == "demo")
            #expect(body["active"] as? Bool == false && body["duration"] as? Int == 90)
            #expect(body["customer_id"] is String && body["created_at"] is String)
            #expect(body["updated_at"] as? String == "2026-02-02T02:41:30.000000000Z")
            let peers = try #require(body["peers"] as? [String: [String: Any]])
            let peer = try #require(peers["p1"])
            #expect(peer["user_id"] as? String == "ann" && peer["role"] as? String == "host")
            #expect(peer["session_id"] as? String == "s1" && peer["duration"] as? Int == 90)
            #expect(peer["left_at"] as? String == "2026-02-02T02:41:30.000000000Z")
            let assets = try #require(body["recording_assets"] as? [[String: Any]])
            #expect(assets.map { $0["id"] as? String } == ["a1"])
            #expect(try await call(client, "sessions/none").status == .notFound)
        }
    }

    @Test func sessionsAreFiltered() async throws {
        try await save("s1", isOver: true)
        try await save("s2", isOver: false)
        try await world.routes { client in
            func ids(_ query: String) async throws -> [String] {
                let body = try TestJSON.object(try await call(client, "sessions\(query)"))
                return (body["data"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            }
            let all = try await ids("")
            #expect(all == ["s2", "s1"])
            #expect(try await ids("?active=true") == ["s2"])
            #expect(try await ids("?active=false&room_id=demo") == ["s1"])
            #expect(try await ids("?room_id=other") == [])
            #expect(try await ids("?after=2026-02-03T00:00:00Z") == [])
            #expect(try await call(client, "sessions?active=maybe").status == .badRequest)
            #expect(try await call(client, "sessions?limit=1").status == .badRequest)
        }
    }

    @Test func eventsOfARoomAreFoundByWhatTheyAreAbout() async throws {
        for (id, kind, room, data) in [
            ("e1", "peer.join.success", "demo", #"{"session_id":"s1","peer_id":"p1"}"#),
            ("e2", "peer.join.success", "demo", #"{"session_id":"s2","peer_id":"p2"}"#),
            ("e3", "beam.failure", "demo", #"{"session_id":"s2","beam_id":"b"}"#),
            ("e4", "peer.join.success", "other", #"{"session_id":"s3"}"#),
        ] {
            try await world.catalogue.save(
                CatalogueDelivery(
                    id: id, line: id, room: RoomID(room), kind: kind,
                    body: Array(#"{"id":"\#(id)","type":"\#(kind)","data":\#(data)}"#.utf8),
                    createdAt: UnixTime(seconds: 1_770_000_000)))
        }
        var telling = world
        telling.configuration.webhooks = WebhookReach()
        try await telling.routes { client in
            func ids(_ query: String) async throws -> [String] {
                let body = try TestJSON.object(
                    try await call(client, "analytics/events?room_id=demo\(query)"))
                let events = body["events"] as? [[String: Any]] ?? []
                #expect(body["limit"] as? Int == events.count)
                return events.compactMap { $0["id"] as? String }
            }
            #expect(try await ids("") == ["e3", "e2", "e1"])
            #expect(try await ids("&session_id=s2") == ["e3", "e2"])
            #expect(try await ids("&peer_id=p1") == ["e1"])
            #expect(try await ids("&beam_id=b") == ["e3"])
            #expect(try await ids("&type=peer.join.success&type=x") == ["e2", "e1"])
            #expect(try await ids("&error=true") == ["e3"])
            #expect(try await ids("&error=true&type=peer.join.success") == [])
            let page = try TestJSON.object(
                try await call(client, "analytics/events?room_id=demo&limit=1"))
            #expect(page["next"] as? String == "e3" && page["total"] as? Int == 3)
            #expect(try await ids("&limit=1&start=e3") == ["e2"])
            #expect(try await call(client, "analytics/events").status == .badRequest)
        }
        try await world.routes { client in
            let refused = try await call(client, "analytics/events?room_id=demo")
            #expect(refused.status == .conflict)
        }
    }

    @Test(arguments: [
        ("external-streams/room/demo/start", #"{"rtmp_urls":["rtmp://h/a"]}"#, 400, "stream key"),
        ("external-streams/room/demo/start", #"{"rtmp_urls":["http://h/a"]}"#, 400, "rtmp_urls"),
        ("external-streams/room/demo/start", #"{"rtmp_urls":[]}"#, 400, "rtmp_urls"),
        ("external-streams/room/demo/start", "{}", 400, "rtmp_urls is missing"),
        (
            "external-streams/room/demo/start",
            #"{"rtmp_urls":["rtmp://h/a/k"],"resolution":{"width":2,"height":2}}"#, 400, "not 2x2"
        ),
        (
            "external-streams/room/demo/start", #"{"rtmp_url":["rtmp://h/a"]}"#, 400,
            "did you mean rtmp_urls?"
        ),
        ("external-streams/room/demo/stop", "", 404, "external stream not found"),
        ("external-streams/x/stop", "", 404, "external stream not found"),
    ])
    func badExternalStreamsAreRefused(
        path: String, body: String, status: Int, words: String
    ) async throws {
        try await world.routes { client in
            let answer = try await call(client, path, body)
            #expect(answer.status.code == status)
            #expect(String(buffer: answer.body).contains(words))
            #expect(try await call(client, "external-streams/x").status == .notFound)
            let list = try await call(client, "external-streams?room_id=demo&status=running")
            #expect(String(buffer: list.body) == #"{"data":[],"last":"","limit":10}"#)
            #expect(try await call(client, "external-streams?status=x").status == .badRequest)
        }
    }

    @Test func anExternalStreamIsARecordingThatIsPushed() async throws {
        try await world.routes { client in
            let body = #"{"rtmp_urls":["rtmp://h/app/secret","srt://h:9"]}"#
            let started = try await call(client, "external-streams/room/demo/start", body)
            #expect(started.status == .ok)
            let text = String(buffer: started.body)
            #expect(
                text.contains(#""rtmp_urls":["rtmp:\/\/h\/app","srt:\/\/h:9"]"#)
                    || text.contains(#""rtmp_urls":["rtmp://h/app","srt://h:9"]"#))
            #expect(text.contains(#""recording":false"#) && !text.contains("secret"))
            #expect(text.contains(#""state":"connecting""#))
            let request = world.control.state.withLock { $0.requests.last }
            #expect(request?.kind == .recording && request?.outputs.count == 2)
            #expect(request?.recording == .nothing)
            let stopped = try await call(client, "external-streams/stream-1/stop", "")
            #expect(stopped.status == .ok)
            #expect(try await call(client, "external-streams/stream-1").status == .ok)
        }
    }
}
