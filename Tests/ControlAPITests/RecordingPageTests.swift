import Catalogue
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import Streams
import Testing

@testable import ControlAPI

/// The data of the recordings page, and its recipients.
@Suite struct RecordingPageTests {
    private func world() async throws -> TestWorld {
        let world = try await TestWorld()
        for (index, status) in [LiveStream.Status.completed, .postProcessing].enumerated() {
            var stream = CatalogueStream(
                id: StreamID("s\(index + 1)"), room: "demo", status: status,
                createdAt: UnixTime(seconds: 1_760_000_000 + Int64(index)), directory: "demo/s1",
                assetDirectory: "hls/demo/2025-10-09/176000000\(index)")
            stream.end = .stopped
            try await world.catalogue.save(stream)
        }
        var asset = CatalogueAsset(
            id: "s1-0", stream: "s1", room: "demo", session: nil, kind: .roomComposite,
            path: "hls/demo/2025-10-09/1760000000/file-recording/Rec-demo-1760000000-0.mp4",
            byteCount: 1234, duration: .seconds(90), createdAt: UnixTime(seconds: 1_760_000_100),
            expiresAt: nil)
        asset.size = .init(width: 1280, height: 720)
        asset.thumbnails = RecordingThumbnails(
            thumbnails: [.init(path: "p/thumbnails/a.jpg", width: 320, height: 180, offset: 2)],
            sprite: .init(
                path: "p/thumbnails/b.jpg", tracksPath: "p/thumbnails/b.vtt", width: 160,
                height: 90, count: 45))
        var expired = asset
        expired.id = "s1-1"
        expired.status = .expired
        try await world.catalogue.save([asset, expired])
        return world
    }

    @Test func recordingsComeWithLinksToWhatIsThere() async throws {
        let world = try await world()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            let response = try await client.execute(
                uri: "/api/recordings", method: .get, headers: headers)
            #expect(response.status == .ok)
            let data = try TestJSON.object(response)["data"] as? [[String: Any]]
            let cards = try #require(data)
            #expect(cards.map { $0["id"] as? String } == ["s2", "s1"])
            #expect(cards[0]["status"] as? String == "post_processing")
            #expect(cards[1]["duration"] as? Double == 90)
            let assets = try #require(cards[1]["assets"] as? [[String: Any]])
            let path = try #require(assets[0]["url"] as? String)
            #expect(path.hasPrefix("/recordings/s1-0."))
            #expect(path.hasSuffix("/Rec-demo-1760000000-0.mp4"))
            let base = path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(assets[0]["thumbnail_url"] as? String == "/\(base)/thumbnails/a.jpg")
            #expect(assets[0]["sprite_vtt_url"] as? String == "/\(base)/thumbnails/b.vtt")
            #expect(assets[0]["size"] as? Int == 1234 && assets[0]["width"] as? Int == 1280)
            #expect(assets[1]["url"] == nil && assets[1]["status"] as? String == "expired")
        }
    }

    @Test(arguments: [false, true])
    func withoutATokenTheyAreForNobodyButWithTheDevelopmentKey(isOpen: Bool) async throws {
        var world = try await world()
        world.configuration.showsRecordings = isOpen
        // A token is checked whenever the request has one.
        let room = try await world.roomToken()
        try await world.routes { client in
            let plain = try await client.execute(uri: "/api/recordings", method: .get)
            #expect(plain.status == (isOpen ? .ok : .unauthorized))
            let wrong = try await client.execute(
                uri: "/api/recordings", method: .get, headers: [.authorization: "Bearer \(room)"])
            #expect(wrong.status == .unauthorized)
        }
    }
}
