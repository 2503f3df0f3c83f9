import Catalogue
import Foundation
import Hummingbird
import HummingbirdTesting
import MediaKernel
import ObjectStorage
import Synchronization
import Testing
import Workbench

@testable import ControlAPI

/// Assets in a store: lists, links and playback.
@Suite struct StoredAssetTests {
    private static let now = TestWorld.now
    private static let place = "hls/demo/2025-10-09/1"

    private static let access = StoreAccess(
        store: ObjectStore(
            isTLS: true, authority: "store.example.org", region: "r", addressing: .path,
            bucket: "b")
    ) { AWSCredentials(accessKeyID: "id", secretAccessKey: "secret") }

    private func world(_ store: StoreAccess? = Self.access) async throws -> TestWorld {
        let world = try await TestWorld(store: store)
        var movie = CatalogueAsset(
            id: "s1-0", stream: "s1", room: "demo", kind: .roomComposite,
            path: "\(Self.place)/file-recording/Rec-0.mp4", byteCount: 10, createdAt: Self.now)
        movie.location = "s3://b/k/\(movie.path)"
        var vod = CatalogueAsset(
            id: "s1-vod", stream: "s1", room: "demo", kind: .roomVOD,
            path: "\(Self.place)/vod/Rec.zip", byteCount: 10, createdAt: Self.now)
        vod.location = "s3://b/k/\(vod.path)"
        let waiting = CatalogueAsset(
            id: "s1-1", stream: "s1", room: "demo", kind: .roomComposite,
            path: "\(Self.place)/file-recording/Rec-1.mp4", byteCount: 10, createdAt: Self.now)
        try await world.catalogue.save([movie, vod, waiting])
        let base = "recordings/\(Self.place)/vod"
        let ranges = """
            #EXTM3U
            #EXT-X-VERSION:4
            #EXTINF:2.000,
            #EXT-X-BYTERANGE:100@40
            ../Rec.zip
            #EXT-X-ENDLIST

            """
        for (path, text) in [
            ("\(base)/master.m3u8", "#EXTM3U"), ("\(base)/stream_0/archive.m3u8", ranges),
            ("\(base)/stream_0/stream.m3u8", "plain"),
            ("out/demo/s1/stream_0/segment_000000.ts", "TS"),
        ] {
            try world.scratch.write(text.utf8, to: path)
        }
        return world
    }

    @Test func theyAreListedWithTheirPlaceAndOthersWithHowFarTheyAre() async throws {
        let world = try await world()
        try await world.catalogue.save(
            CatalogueUpload(asset: "s1-1", bytesSent: 7, failures: 2, reason: "403 AccessDenied"))
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let list = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets", method: .get, headers: headers))
            let data = try #require(list["data"] as? [[String: Any]])
            let paths = data.map { $0["path"] as? String }
            #expect(paths.contains("s3://b/k/\(Self.place)/file-recording/Rec-0.mp4"))
            let one = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-1", method: .get, headers: headers))
            #expect(one["path"] as? String == "\(Self.place)/file-recording/Rec-1.mp4")
            let upload = try #require(one["upload"] as? [String: Any])
            #expect(upload["bytes_sent"] as? Int == 7 && upload["failures"] as? Int == 2)
            #expect(upload["reason"] as? String == "403 AccessDenied")
        }
    }

    @Test func aLinkIsTheStoresOwnForAWeekAtMost() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-vod/presigned-url?presign_duration=1000000",
                    method: .get, headers: headers))
            let url = try #require(answer["url"] as? String)
            #expect(
                url.hasPrefix("https://store.example.org/b/k/\(Self.place)/vod/Rec.zip?X-Amz-"))
            #expect(url.contains("X-Amz-Expires=604800"))
            #expect(answer["expiry"] as? Int == 604_800)
            #expect(answer["expires_at"] as? String == "2025-10-16T08:53:20.000000000Z")
            #expect(answer["path"] as? String == "s3://b/k/\(Self.place)/vod/Rec.zip")
            #expect(
                (answer["playback_url"] as? String)?.hasSuffix("/master.m3u8") == true)
        }
    }

    @Test func aLinkWithTemporaryCredentialsIsSignedAnewWheneverItIsFollowed() async throws {
        let token = Mutex("first")
        let access = StoreAccess(
            store: ObjectStore(
                isTLS: true, authority: "store.example.org", region: "r", addressing: .path,
                bucket: "b")
        ) {
            AWSCredentials(
                accessKeyID: "id", secretAccessKey: "secret",
                sessionToken: token.withLock { $0 })
        }
        let world = try await world(access)
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-0/presigned-url?presign_duration=1000000",
                    method: .get, headers: headers))
            let url = try #require(answer["url"] as? String)
            let path = try #require(url.firstRange(of: "/recordings/"))
            #expect(answer["expiry"] as? Int == 1_000_000)
            #expect(answer["expires_at"] as? String == "2025-10-20T22:40:00.000000000Z")
            token.withLock { $0 = "second" }
            let followed = try await client.execute(
                uri: String(url[path.lowerBound...]), method: .get)
            #expect(followed.status == .temporaryRedirect)
            #expect(
                followed.headers[.location]?.contains("X-Amz-Security-Token=second") == true)
        }
    }

    @Test func aLinkThatWasGivenBeforeLeadsThere() async throws {
        let world = try await world()
        let movie = world.link(to: "s1-0")
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "\(movie)/Rec-0.mp4?download", method: .get)
            #expect(answer.status == .temporaryRedirect)
            let location = try #require(answer.headers[.location])
            #expect(location.contains("/Rec-0.mp4?X-Amz-Algorithm"))
            #expect(location.contains("X-Amz-Expires=60&"))
            #expect(location.contains("response-content-disposition=attachment"))
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            let other = try await client.execute(uri: "\(movie)/Rec-1.mp4", method: .get)
            #expect(other.status == .notFound)
        }
    }

    /// A store refuses a HEAD to an address that is signed for GET.
    @Test func whoAsksForAHeadIsSentToAnAddressThatIsSignedForIt() async throws {
        let world = try await world()
        let movie = world.link(to: "s1-0")
        let signature = AWSSignature(
            credentials: AWSCredentials(accessKeyID: "id", secretAccessKey: "secret"),
            region: "r")
        try await world.routes { client in
            let methods: [(HTTPRequest.Method, String)] = [(.get, "GET"), (.head, "HEAD")]
            for (method, name) in methods {
                let answer = try await client.execute(
                    uri: "\(movie)/Rec-0.mp4", method: method)
                let request = signature.presigned(
                    StoreRequest(
                        method: name, host: "store.example.org",
                        path: "/b/k/\(Self.place)/file-recording/Rec-0.mp4"),
                    at: Self.now, validity: .seconds(60))
                #expect(answer.status == .temporaryRedirect)
                #expect(
                    answer.headers[.location] == "https://store.example.org\(request.target)")
            }
        }
    }

    @Test func aVODIsPlayedAsRangesOfItsArchive() async throws {
        let world = try await world()
        let vod = world.link(to: "s1-vod")
        try await world.routes { client in
            let master = try await client.execute(uri: "\(vod)/master.m3u8", method: .get)
            #expect(String(buffer: master.body) == "#EXTM3U")
            let layer = try await client.execute(uri: "\(vod)/stream_0/stream.m3u8", method: .get)
            let lines = String(buffer: layer.body).split(separator: "\n")
            #expect(lines[3] == "#EXT-X-BYTERANGE:100@40" && lines.count == 6)
            #expect(lines[4].hasPrefix("https://store.example.org/b/k/\(Self.place)/vod/Rec.zip?"))
            #expect(lines[4].hasSuffix(".ts"))
            #expect(layer.headers[.contentType] == "application/vnd.apple.mpegurl")
            // A player that began earlier continues with the stream's own segments.
            let segment = try await client.execute(
                uri: "\(vod)/stream_0/segment_000000.ts", method: .get)
            #expect(String(buffer: segment.body) == "TS")
        }
    }

    @Test func aPlaylistOfSignedAddressesIsSmallForWhoAcceptsGzip() async throws {
        let world = try await world()
        let segment = "#EXTINF:2.000,\n#EXT-X-BYTERANGE:100@40\n../Rec.zip\n"
        try world.scratch.write(
            ("#EXTM3U\n" + String(repeating: segment, count: 500)).utf8,
            to: "recordings/\(Self.place)/vod/stream_0/archive.m3u8")
        let uri = "\(world.link(to: "s1-vod"))/stream_0/stream.m3u8"
        try await world.routes { client in
            let plain = try await client.execute(uri: uri, method: .get)
            #expect(plain.headers[.contentEncoding] == nil)
            let packed = try await client.execute(
                uri: uri, method: .get, headers: [.acceptEncoding: "gzip"])
            #expect(packed.headers[.contentEncoding] == "gzip")
            #expect(packed.headers[.vary] == "Accept-Encoding")
            #expect(packed.body.readableBytes * 20 < plain.body.readableBytes)
        }
    }

    @Test func withoutAStoreThereIsTheCopyThatStayedHere() async throws {
        let world = try await world(nil)
        try world.scratch.write(
            "0123456789".utf8, to: "recordings/\(Self.place)/file-recording/Rec-0.mp4")
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let answer = try TestJSON.object(
                try await client.execute(
                    uri: "/v2/recording-assets/s1-0/presigned-url", method: .get,
                    headers: headers))
            let url = try #require(answer["url"] as? String)
            let path = try #require(url.firstRange(of: "/recordings/"))
            let file = try await client.execute(
                uri: String(url[path.lowerBound...]), method: .get)
            #expect(String(buffer: file.body) == "0123456789")
        }
    }

    @Test func withoutAStoreWhatIsThereCannotBeHad() async throws {
        let world = try await world(nil)
        let headers = try await world.managementHeaders()
        let movie = world.link(to: "s1-0")
        try await world.routes { client in
            let answer = try await client.execute(
                uri: "/v2/recording-assets/s1-0/presigned-url", method: .get, headers: headers)
            #expect(answer.status == .notFound)
            #expect(
                try TestJSON.object(answer)["details"] as? [String] == [
                    "it is at s3://b/k/\(Self.place)/file-recording/Rec-0.mp4, "
                        + "and no store is set up that it could be had from"
                ])
            let file = try await client.execute(uri: "\(movie)/Rec-0.mp4", method: .get)
            #expect(file.status == .notFound)
        }
    }
}
