import Catalogue
import Foundation
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Signing
import Streams
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

/// The control API's lists of assets, and links to them.
@Suite struct RecordingRouteTests {
    static let now = TestWorld.now

    private func asset(
        _ id: String, _ kind: CatalogueAsset.Kind, _ name: String, stream: StreamID = "s1",
        status: CatalogueAsset.Status = .completed, at seconds: Int64 = 0
    ) -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: stream, room: "demo", session: "x", kind: kind, status: status,
            path: "hls/demo/2025-10-09/1/\(name)", byteCount: 10, duration: .milliseconds(61_499),
            createdAt: UnixTime(seconds: 1_760_000_000 + seconds),
            size: .init(width: 1280, height: 720), layer: kind == .roomComposite ? 0 : nil,
            layerCount: kind == .roomVOD ? 2 : nil)
    }

    /// A world with one recording on its disk.
    private func world() async throws -> TestWorld {
        let world = try await TestWorld()
        var stream = CatalogueStream(
            id: "s1", room: "demo", session: "x", status: .completed,
            createdAt: Self.now, directory: "demo/s1", assetDirectory: "hls/demo/2025-10-09/1")
        stream.end = .stopped
        try await world.catalogue.save(
            stream,
            assets: [
                asset("s1-0", .roomComposite, "file-recording/Rec-demo-1-0.mp4"),
                asset("s1-vod", .roomVOD, "vod/Rec-demo-1.zip"),
                asset("s1-old", .roomComposite, "file-recording/old.mp4", status: .expired),
            ])
        world.control.state.withLock { state in
            var stream = LiveStream(
                id: "s1", room: "demo", session: "x",
                plan: StreamPlan(recording: LiveStreamRecording(hlsVOD: true)),
                createdAt: TestWorld.now, startedBy: "")
            stream.status = .completed
            let plain = LiveStream(
                id: "s0", room: "demo", session: nil, createdAt: TestWorld.now, startedBy: "")
            state.streams = [plain, stream]
        }
        for (name, text) in [
            ("file-recording/Rec-demo-1-0.mp4", "0123456789"), ("file-recording/old.mp4", "old"),
            ("file-recording/Rec-demo-1-1.mp4", "other"), ("vod/Rec-demo-1.zip", "PK"),
            ("vod/master.m3u8", "#EXTM3U"), ("vod/stream_0/segment_000000.ts", "TS"),
            ("vod/.part-x.ts", "half"), ("manifest.json", "{}"),
        ] {
            try world.scratch.write(text.utf8, to: "recordings/hls/demo/2025-10-09/1/\(name)")
        }
        return world
    }

    @Test func assetsAreListedIn100msForm() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let list = try await client.execute(
                uri: "/v2/recording-assets?room_id=demo&status=completed", method: .get,
                headers: headers)
            let text = String(buffer: list.body)
            let expected: [String] = [
                #"{"data":[{"created_at":"2025-10-09T08:53:20.000000000Z","duration":61,"#,
                #""expires_at":null,"id":"s1-vod","job_id":"s1","#,
                #""metadata":{"max_height":720,"max_width":1280,"num_layers":"2"},"#,
                #""path":"hls/demo/2025-10-09/1/vod/Rec-demo-1.zip","room_id":"demo","#,
                #""session_id":"x","size":10,"sprite":null,"status":"completed","#,
                #""thumbnail_images":[],"thumbnails":null,"type":"room-vod","upload":null},"#,
            ]
            #expect(text.hasPrefix(expected.joined()))
            #expect(text.contains(#""metadata":{"layer":"0","resolution":{"height":720,"#))
            #expect(
                text.hasSuffix(#""type":"room-composite","upload":null}],"last":"","limit":10}"#))
            let one = try await client.execute(
                uri: "/v2/recording-assets/s1-0", method: .get, headers: headers)
            #expect(try TestJSON.object(one)["type"] as? String == "room-composite")
        }
    }

    @Test func pagesGoOnWhereTheOneBeforeEnded() async throws {
        let world = try await world()
        try await world.catalogue.save(
            (0..<25).map { asset("p\($0)", .roomVOD, "x.zip", stream: "p", at: Int64($0)) })
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            var start = ""
            var found: [String] = []
            for expected in [10, 10, 5] {
                let page = try TestJSON.object(
                    try await client.execute(
                        uri: "/v2/recording-assets?job_id=p&limit=10&start=\(start)", method: .get,
                        headers: headers))
                let data = try #require(page["data"] as? [[String: Any]])
                #expect(data.count == expected)
                found += data.compactMap { $0["id"] as? String }
                start = page["last"] as? String ?? ""
            }
            #expect(found == (0..<25).reversed().map { "p\($0)" } && start == "")
        }
    }

    @Test(arguments: [
        ("/v2/recording-assets?limit=9", 400), ("/v2/recording-assets?limit=101", 400),
        ("/v2/recording-assets?status=post_processing", 400),
        ("/v2/recording-assets?room_id=a%2Fb", 400), ("/v2/recording-assets/none", 404),
        ("/v2/recording-assets/..%2F..%2Fetc", 404),
        ("/v2/recording-assets/s1-old/presigned-url", 404),
        ("/v2/recording-assets/s1-0/presigned-url?presign_duration=0", 400),
        ("/v2/recording-assets/s1-0/presigned-url?presign_duration=1296001", 400),
        ("/v2/recording-assets/s1-0/presigned-url?presign_duration=x", 400),
        ("/v2/recordings/s0", 404), ("/v2/recordings/none", 404),
    ])
    func whatCannotBeAnsweredIsRefused(uri: String, status: Int) async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(uri: uri, method: .get, headers: headers)
            #expect(answer.status.code == status)
            let bare = try await client.execute(uri: uri, method: .get)
            #expect(bare.status == .unauthorized)
        }
    }

    /// 100ms' SDK for Node.js writes a duration that its caller does not name as `undefined`.
    @Test(arguments: ["", "?presign_duration=undefined"])
    func aLinkWithoutADurationHasTheUsualOne(query: String) async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/recording-assets/s1-0/presigned-url\(query)", method: .get,
                headers: headers)
            #expect(answer.status == .ok)
        }
    }

    @Test func aLinkLeadsToItsFileAndNoOther() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        let movie = world.link(to: "s1-0")
        try await world.routes { client in
            let answer = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-0/presigned-url?presign_duration=60",
                    method: .get, headers: headers))
            let url = try #require(answer["url"] as? String)
            #expect(url.hasSuffix("\(movie)/Rec-demo-1-0.mp4"))
            #expect(answer["expiry"] as? Int == 60)
            #expect(answer["expires_at"] as? String == "2025-10-09T08:54:20.000000000Z")
            #expect(answer["playback_url"] == nil)
            let file = try await client.execute(
                uri: "\(movie)/Rec-demo-1-0.mp4", method: .get)
            #expect(String(buffer: file.body) == "0123456789")
            #expect(file.headers[.contentType] == "video/mp4")
            #expect(
                file.headers[.contentDisposition] == #"inline; filename="Rec-demo-1-0.mp4""#)
            #expect(file.headers[.cacheControl] == "private, max-age=60")
            let part = try await client.execute(
                uri: "\(movie)/Rec-demo-1-0.mp4?download", method: .get,
                headers: [.range: "bytes=2-4"])
            #expect(part.status == .partialContent && String(buffer: part.body) == "234")
            #expect(
                part.headers[.contentDisposition] == #"attachment; filename="Rec-demo-1-0.mp4""#)
            for path in [
                "Rec-demo-1-1.mp4", "old.mp4", "../vod/master.m3u8", "../manifest.json",
                "..%2Fmanifest.json", "", "x/Rec-demo-1-0.mp4",
            ] {
                let other = try await client.execute(uri: "\(movie)/\(path)", method: .get)
                #expect(other.status == .notFound, "\(path)")
            }
        }
    }

    @Test func aLinkCoversThePicturesOfItsRecording() async throws {
        let world = try await world()
        let base = "hls/demo/2025-10-09/1/thumbnails/Rec-demo-1"
        var pictured = asset("s1-0", .roomComposite, "file-recording/Rec-demo-1-0.mp4")
        pictured.thumbnails = RecordingThumbnails(
            thumbnails: [.init(path: "\(base)-2s.jpg", width: 320, height: 180, offset: 2)],
            sprite: .init(
                path: "\(base)-sprite.jpg", tracksPath: "\(base)-sprite.vtt", width: 160,
                height: 90, count: 1))
        try await world.catalogue.save([pictured])
        #expect(try await world.catalogue.asset("s1-0") == pictured)
        let directory = "\(world.directory)/recordings/hls/demo/2025-10-09/1/thumbnails"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        for name in ["2s.jpg", "sprite.jpg", "sprite.vtt", "other.jpg"] {
            try Data(name.utf8).write(to: URL(filePath: "\(directory)/Rec-demo-1-\(name)"))
        }
        let headers = try await world.managementHeaders()
        let movie = world.link(to: "s1-0")
        try await world.routes { client in
            let one = try await client.execute(
                uri: "/v2/recording-assets/s1-0", method: .get, headers: headers)
            let text = String(buffer: one.body)
            #expect(text.contains(#""thumbnails":["\#(base)-2s.jpg"]"#))
            #expect(
                text.contains(
                    #""thumbnail_images":[{"height":180,"offset":2,"path":"\#(base)-2s.jpg","#))
            #expect(text.contains(#""sprite":{"count":1,"height":90,"path":"\#(base)-sprite"#))
            let links = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-0/presigned-url?presign_duration=60",
                    method: .get, headers: headers))
            let urls = try #require(links["thumbnail_urls"] as? [String])
            let prefix = "\(movie)/thumbnails/Rec-demo-1"
            #expect(urls.count == 1 && urls[0].hasSuffix("\(prefix)-2s.jpg"))
            #expect((links["sprite_url"] as? String)?.hasSuffix("\(prefix)-sprite.jpg") == true)
            #expect(
                (links["sprite_vtt_url"] as? String)?.hasSuffix("\(prefix)-sprite.vtt") == true)
            for (name, type) in [
                ("2s.jpg", "image/jpeg"), ("sprite.jpg", "image/jpeg"), ("sprite.vtt", "text/vtt"),
            ] {
                let file = try await client.execute(uri: "\(prefix)-\(name)", method: .get)
                #expect(String(buffer: file.body) == name && file.headers[.contentType] == type)
            }
            for path in ["\(prefix)-other.jpg", "\(movie)/Rec-demo-1-2s.jpg"] {
                let other = try await client.execute(uri: path, method: .get)
                #expect(other.status == .notFound, "\(path)")
            }
        }
    }

    @Test func aLinkToAVODCoversItsPlaylistsAndSegments() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        let vod = world.link(to: "s1-vod")
        try await world.routes { client in
            let answer = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-vod/presigned-url?presign_duration=60",
                    method: .get, headers: headers))
            #expect((answer["url"] as? String)?.hasSuffix("\(vod)/Rec-demo-1.zip") == true)
            #expect((answer["playback_url"] as? String)?.hasSuffix("\(vod)/master.m3u8") == true)
            for (path, text) in [
                ("master.m3u8", "#EXTM3U"), ("stream_0/segment_000000.ts", "TS"),
                ("Rec-demo-1.zip", "PK"),
            ] {
                let file = try await client.execute(uri: "\(vod)/\(path)", method: .get)
                #expect(String(buffer: file.body) == text)
            }
            for path in [".part-x.ts", "../manifest.json", "../file-recording/Rec-demo-1-0.mp4"] {
                let other = try await client.execute(uri: "\(vod)/\(path)", method: .get)
                #expect(other.status == .notFound, "\(path)")
            }
        }
    }

    @Test func aLinkThatIsForgedOverdueOrOfAnExpiredAssetIsRefused() async throws {
        let world = try await world()
        let overdue = try #require(
            AssetLink(asset: "s1-0", expiry: Self.now)?.signed(with: world.recordings.key))
        let forged = world.link(to: "s1-0").replacing("s1-0", with: "s1-vod")
        let expired = world.link(to: "s1-old")
        try await world.routes { client in
            for (uri, error) in [
                ("/recordings/\(overdue)/Rec-demo-1-0.mp4", .refusedLink(.expired(Self.now))),
                ("\(forged)/Rec-demo-1.zip", .refusedLink(.wrongSignature)),
                ("/recordings/x/Rec-demo-1.zip", .refusedLink(.malformed)),
                ("\(expired)/old.mp4", Origin.notFound),
            ] as [(String, APIError)] {
                let answer = try await client.execute(uri: uri, method: .get)
                #expect(answer.status == error.status)
                #expect(try TestJSON.refusal(answer) == error.body)
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
            }
        }
    }

    @Test func recordingsAreTheStreamsOfWhichSomethingIsKept() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let list = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recordings?room_id=demo", method: .get, headers: headers))
            let data = try #require(list["data"] as? [[String: Any]])
            #expect(data.compactMap { $0["id"] as? String } == ["s1"])
            let one = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recordings/s1", method: .get, headers: headers))
            #expect(one["status"] as? String == "completed")
            #expect(one["asset_types"] as? [String] == ["room-composite", "room-vod"])
            #expect((one["recording_assets"] as? [[String: Any]])?.count == 3)
        }
    }

    @Test func aStreamNamesItsAssets() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            for uri in ["/v2/live-streams/s1", "/v2/live-streams?room_id=demo"] {
                let answer = try await client.execute(uri: uri, method: .get, headers: headers)
                let text = String(buffer: answer.body)
                #expect(text.contains(#""recording_assets":[{"created_at""#))
                #expect(text.contains(#""type":"room-vod","upload":null}]"#))
            }
        }
    }
}
