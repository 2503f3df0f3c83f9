import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Streams
import Testing
import Workbench

@testable import ControlAPI

/// Names of recordings, their deletion, and links to them.
@Suite struct RecordingChangeTests {
    private static let directory = "hls/demo/2025-10-09/1760000000"

    /// `s1` is completed, `s2` in progress, `s3` of a room with a name in another script.
    private func world() async throws -> TestWorld {
        let world = try await TestWorld()
        for (id, room, status) in [
            ("s1", "demo", .completed), ("s2", "demo", .running),
            ("s3", "xn--3e0bk47br7k", .failed),
        ] as [(String, String, LiveStream.Status)] {
            let second = Int64(id.dropFirst()) ?? 0
            var stream = CatalogueStream(
                id: StreamID(id), room: RoomID(room), status: status,
                createdAt: UnixTime(seconds: 1_760_000_000 + 86_400 * second),
                directory: "\(room)/\(id)",
                assetDirectory: id == "s1" ? Self.directory : "hls/\(room)/2025-10-09/\(second)")
            stream.end = status.isFinal ? .stopped : nil
            try await world.catalogue.save(stream)
        }
        let asset = CatalogueAsset(
            id: "s1-0", stream: "s1", room: "demo", session: nil, kind: .roomComposite,
            path: "\(Self.directory)/file-recording/Rec-demo-1760000000-0.mp4",
            byteCount: 4, duration: .seconds(90), createdAt: UnixTime(seconds: 1_760_000_100))
        var chat = asset
        chat.id = "s1-chat"
        chat.kind = .chat
        chat.path = "chat/demo/2025-10-09/Rec-demo-1760000000.csv"
        try await world.catalogue.save([asset, chat])
        try world.scratch.write("film".utf8, to: "recordings/\(asset.path)")
        try world.scratch.write("{}".utf8, to: "out/demo/s1/stream.json")
        try world.scratch.write("segment".utf8, to: "out/demo/s1/stream_0/a.ts")
        return world
    }

    private func body(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private func ids(_ answer: TestResponse) throws -> [String] {
        let data = try TestJSON.object(answer)["data"] as? [[String: Any]]
        return (data ?? []).compactMap { $0["id"] as? String }
    }

    @Test(arguments: ["/api/recordings", "/v2/recordings"])
    func aRecordingGetsANameWhichIsInItsDirectory(path: String) async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            // Of /v2/ the double of the streams would have to know it.
            let named = try await client.execute(
                uri: "/api/recordings/s1", method: .patch, headers: headers,
                body: body(#"{"name": "  공지 🎉 of <May> "}"#))
            #expect(named.status == .ok)
            #expect(try TestJSON.object(named)["name"] as? String == "공지 🎉 of <May>")
            let file = FileManager.default.contents(
                atPath: "\(world.directory)/recordings/\(Self.directory)/recording.json")
            let note = try JSONDecoder().decode(RecordingNote.self, from: try #require(file))
            #expect(note == RecordingNote(stream: "s1", name: "공지 🎉 of <May>"))
            // A name is also taken away again.
            for text in [#"{"name": ""}"#, #"{"name": " "}"#] {
                let answer = try await client.execute(
                    uri: "/api/recordings/s1", method: .patch, headers: headers, body: body(text))
                #expect(try TestJSON.object(answer)["name"] == nil)
            }
            let unknown = try await client.execute(
                uri: "\(path)/nothing", method: .patch, headers: headers,
                body: body(#"{"name": "x"}"#))
            #expect(unknown.status == .notFound)
        }
    }

    @Test func namesHaveLimits() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        let bad = [
            String(repeating: "a", count: 513), String(repeating: "공", count: 171), "two\\nlines",
            "\\u0000", "\\u202Emp4", "\\u2066x", "a\\u0085b",
        ]
        let good = [
            String(repeating: "a", count: 512), String(repeating: "공", count: 170), "العربية",
        ]
        try await world.routes { client in
            for (names, status) in [(bad, 400), (good, 200)] {
                for name in names {
                    let answer = try await client.execute(
                        uri: "/api/recordings/s1", method: .patch, headers: headers,
                        body: body(#"{"name": "\#(name)"}"#))
                    #expect(answer.status.code == status, "\(name.prefix(20))")
                }
            }
            for text in ["{}", #"{"name": null}"#, #"{"name": 5}"#, #"{"nam": "x"}"#] {
                let answer = try await client.execute(
                    uri: "/api/recordings/s1", method: .patch, headers: headers, body: body(text))
                #expect(answer.status == .badRequest, "\(text)")
            }
        }
    }

    @Test func aDeletedOneIsGoneWithAllThatWasWrittenOfIt() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        let link = try #require(
            world.recordings.pageLink(to: "s1", until: TestWorld.now + .seconds(60)))
        try await world.routes { client in
            let file = "\(world.link(to: "s1-0"))/Rec-demo-1760000000-0.mp4"
            #expect(try await client.execute(uri: file, method: .get).status == .ok)
            let busy = try await client.execute(
                uri: "/api/recordings/s2", method: .delete, headers: headers)
            #expect(busy.status == .conflict)
            let answer = try await client.execute(
                uri: "/api/recordings/s1", method: .delete, headers: headers)
            #expect(answer.status == .noContent)
            // Before its files are removed, which takes a minute.
            #expect(try await client.execute(uri: file, method: .get).status == .notFound)
            let list = try await client.execute(
                uri: "/api/recordings", method: .get, headers: headers)
            #expect(try ids(list) == ["s3", "s2"])
            for (path, method) in [
                ("/api/recordings/s1", .get), ("/api/recordings/s1", .delete),
                ("/api/recordings/s1/link", .get), (link, .get), ("/api\(link)", .get),
            ] as [(String, HTTPRequest.Method)] {
                let gone = try await client.execute(uri: path, method: method, headers: headers)
                #expect(gone.status == .gone, "\(path)")
            }
        }
        let out = "\(world.directory)/out/demo/s1"
        #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["stream.json"])
        let expired = try await world.catalogue.expireAssets(at: TestWorld.now)
        #expect(Set(expired.map(\.id)) == ["s1-0", "s1-chat"])
    }

    /// The catalogue's records are made from files, which may have been edited.
    @Test func onlyItsOwnDirectoryIsEmptied() async throws {
        let world = try await world()
        var stream = CatalogueStream(
            id: "s9", room: "demo", status: .completed, createdAt: TestWorld.now,
            directory: "demo/../demo/s1", assetDirectory: "hls/demo/2025-10-09/9")
        stream.end = .stopped
        try await world.catalogue.save(stream)
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/api/recordings/s9", method: .delete, headers: headers)
        }
        #expect(
            FileManager.default.fileExists(
                atPath: "\(world.directory)/out/demo/s1/stream_0/a.ts"))
    }

    @Test func recordingsAreFoundByNameRoomAndDay() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await RecordingNotes(world.catalogue).save(
            RecordingNote(stream: "s2", name: "Café 100 %"))
        try await world.routes { client in
            for (query, found) in [
                ("search=CAFE", ["s2"]), ("search=100%20%25", ["s2"]),
                ("search=dem", ["s2", "s1"]),
                ("search=%ED%95%9C%EA%B5%AD%EC%96%B4", ["s3"]), ("search=nothing", []),
                ("search=", ["s3", "s2", "s1"]), ("search=%27%20OR%201=1", []),
                ("after=2025-10-11T00:00:00Z", ["s3", "s2"]),
                ("before=2025-10-11T00:00:00Z", ["s1"]),
                ("search=demo&after=2025-10-11T00:00:00Z", ["s2"]),
            ] {
                let answer = try await client.execute(
                    uri: "/api/recordings?\(query)", method: .get, headers: headers)
                #expect(try ids(answer) == found, "\(query)")
            }
            for query in ["search=\(String(repeating: "a", count: 257))", "after=yesterday"] {
                let answer = try await client.execute(
                    uri: "/api/recordings?\(query)", method: .get, headers: headers)
                #expect(answer.status == .badRequest)
            }
        }
    }

    @Test func whoeverHasALinkSeesTheVideoAlone() async throws {
        let world = try await world()
        try world.scratch.write(
            "<head>\n    <title>x</title>\n  </head>".utf8, to: "web/shared.html")
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/api/recordings/s1/link?seconds=3600", method: .get, headers: headers)
            let url = try #require(try TestJSON.object(answer)["url"] as? String)
            let path = try #require(URL(string: url)?.path)
            #expect(path.hasPrefix("/shared/s1.1760003600."))
            let shown = try await client.execute(uri: "/api\(path)", method: .get)
            let card = try TestJSON.object(shown)
            let assets = try #require(card["assets"] as? [[String: Any]])
            #expect(assets.map { $0["type"] as? String } == ["room-composite"], "and no chat")
            let file = try #require(assets[0]["url"] as? String)
            #expect(file.hasPrefix("/recordings/s1-0.1760003600."), "for as long as the link")
            #expect(try await client.execute(uri: file, method: .get).status == .ok)
            let page = try await client.execute(uri: path, method: .get)
            #expect(page.status == .ok)
            #expect(String(buffer: page.body).contains("og:title"))
            for seconds in ["0", "1296001", "x", "-1"] {
                let refused = try await client.execute(
                    uri: "/api/recordings/s1/link?seconds=\(seconds)", method: .get,
                    headers: headers)
                #expect(refused.status == .badRequest)
            }
            // Neither is the link to a file one to a page, nor the other way round.
            let asset = world.link(to: "s1").split(separator: "/").last ?? ""
            for wrong in ["\(asset)", "s1.1760003600.x", "s2" + path.dropFirst("/shared/s1".count)]
            {
                let refused = try await client.execute(uri: "/shared/\(wrong)", method: .get)
                #expect(refused.status == .forbidden, "\(wrong)")
            }
        }
    }

    @Test func anExpiredLinkIsExplained() async throws {
        let world = try await world()
        let path = try #require(world.recordings.pageLink(to: "s1", until: TestWorld.now))
        try await world.routes { client in
            let page = try await client.execute(
                uri: path, method: .get, headers: [.accept: "text/html"])
            #expect(page.status == .forbidden)
            #expect(String(buffer: page.body).contains("<h1>This link has expired</h1>"))
        }
    }

    @Test func whatIsKnownOfOne() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.catalogue.save(
            CatalogueUpload(asset: "s1-0", progress: "{}", bytesSent: 3, failures: 1, reason: "no"))
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/api/recordings/s1", method: .get, headers: headers)
            let details = try TestJSON.object(answer)
            #expect(details["room_title"] as? String == "demo")
            #expect(details["people"] as? [String] == [])
            let upload = (details["uploads"] as? [String: [String: Any]])?["s1-0"]
            #expect(upload?["bytes_sent"] as? Int == 3 && upload?["reason"] as? String == "no")
        }
    }
}
