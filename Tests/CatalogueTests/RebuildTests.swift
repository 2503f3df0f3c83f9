import Foundation
import MediaKernel
import Streams
import Testing

@testable import Catalogue

@Suite struct RebuildTests {
    private func stream(_ id: String, _ status: LiveStream.Status) -> CatalogueStream {
        var stream = CatalogueStream(
            id: StreamID(id), room: "room", status: status,
            createdAt: UnixTime(seconds: 1_770_000_000), directory: "room/\(id)")
        stream.updatedAt = UnixTime(
            seconds: 1_770_000_000 + Int64(status == .completed ? 60 : 30))
        return stream
    }

    @Test func recordingsWithoutAStreamAreFoundToo() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let streams = "\(place.path)/streams"
        let recordings = "\(place.path)/recordings"
        var recording = CatalogueStream(
            id: "r", room: "room", kind: .recording, createdAt: UnixTime(seconds: 1_770_000_000),
            directory: "room/.r", assetDirectory: "beam/room/2026-02-02/1770000000")
        try write(recording, to: "\(streams)/room/.r/stream.json")
        recording.status = .completed
        recording.updatedAt = UnixTime(seconds: 1_770_000_060)
        var file = asset("r-0", of: "r", in: "1770000000")
        file.path = "beam/room/2026-02-02/Rec-room-1770000000.mp4"
        try write(
            RecordingManifest(stream: recording, assets: [file]),
            to: "\(recordings)/beam/room/2026-02-02/1770000000/manifest.json")
        try write([1], to: "\(recordings)/\(file.path)")
        let rebuilt = try await catalogue.rebuild(streams: streams, recordings: recordings)
        #expect(rebuilt.streams == 1 && rebuilt.assets == 1 && rebuilt.unreadable.isEmpty)
        #expect(try await catalogue.stream("r") == recording)
        #expect(try await catalogue.asset("r-0") == file)
    }

    @Test func aFileOfBeforeThereWereTwoKindsIsOfAStream() throws {
        var json = String(
            decoding: try JSONEncoder().encode(stream("a", .running)), as: UTF8.self)
        json.replace(#""kind":"hls","#, with: "")
        json.replace(#","kind":"hls""#, with: "")
        #expect(!json.contains("kind"))
        #expect(
            try JSONDocument.decode(CatalogueStream.self, from: json.utf8)
                == stream("a", .running))
    }

    private func asset(_ id: String, of stream: String, in directory: String) -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: StreamID(stream), room: "room", kind: .roomComposite,
            path: "hls/room/2026-02-02/\(directory)/\(id).mp4", byteCount: 3,
            duration: .seconds(5), createdAt: UnixTime(seconds: 1_770_000_060))
    }

    private func write(_ value: some Encodable, to path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(value).write(to: url)
    }

    @Test func theCatalogueIsWhatTheDirectoriesSay() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let event = CatalogueDelivery(
            id: "event", line: "gone", room: "room", kind: "hls.stopped.success",
            isTerminal: true, body: [],
            createdAt: UnixTime(seconds: 5))
        try await catalogue.save(stream("gone", .completed), telling: [event])
        let streams = "\(place.path)/streams"
        let recordings = "\(place.path)/recordings"
        // A stream with assets of which one was removed, one on air, and one with a damaged file.
        try write(stream("a", .postProcessing), to: "\(streams)/room/a/stream.json")
        try write(stream("b", .running), to: "\(streams)/room/b/stream.json")
        try write([1, 2, 3], to: "\(streams)/room/c/stream.json")
        let assets = [asset("a0", of: "a", in: "1"), asset("a1", of: "a", in: "1")]
        try write(
            RecordingManifest(stream: stream("a", .completed), assets: assets),
            to: "\(recordings)/hls/room/2026-02-02/1/manifest.json")
        try write([1], to: "\(recordings)/\(assets[0].path)")

        for _ in 0..<2 {
            let rebuilt = try await catalogue.rebuild(streams: streams, recordings: recordings)
            #expect(rebuilt.streams == 2 && rebuilt.assets == 2)
            #expect(rebuilt.unreadable == ["\(streams)/room/c/stream.json"])
            #expect(try await catalogue.stream("a") == stream("a", .completed))
            #expect(try await catalogue.unfinishedStreams() == [stream("b", .running)])
            #expect(try await catalogue.stream("gone") == nil)
            #expect(try await catalogue.asset("a0") == assets[0])
            #expect(try await catalogue.asset("a1")?.status == .expired)
            #expect(try await catalogue.pendingDeliveries(limit: 9).map(\.id) == ["event"])
        }
    }

    /// No matter how long the disk takes; and no write is reverted.
    @Test func whoWritesDoesNotWaitForTheFilesToBeRead() async throws {
        let place = try Place()
        let streams = "\(place.path)/streams"
        func save(_ stream: CatalogueStream, to catalogue: Catalogue) async throws {
            try write(stream, to: "\(streams)/\(stream.directory)/stream.json")
            try await catalogue.save(stream)
        }
        let server = try place.open()
        for id in ["a", "b"] { try await save(stream(id, .running), to: server) }
        let rebuilt = try await place.open().rebuild(
            streams: streams, recordings: place.path
        ) {
            await #expect(throws: Never.self) {
                try await save(stream("a", .completed), to: server)
                try await save(stream("c", .running), to: server)
            }
        }
        #expect(rebuilt.streams == 3 && rebuilt.unreadable == [])
        #expect(try await server.stream("a") == stream("a", .completed))
        #expect(try await server.stream("b") == stream("b", .running))
        #expect(try await server.stream("c") == stream("c", .running))
    }

    @Test func nothingOnTheDiskIsAnEmptyCatalogue() async throws {
        let place = try Place()
        let catalogue = try place.open()
        try await catalogue.save(stream("gone", .completed))
        let rebuilt = try await catalogue.rebuild(
            streams: "\(place.path)/none", recordings: "\(place.path)/nowhere")
        #expect(rebuilt.streams == 0 && rebuilt.assets == 0 && rebuilt.unreadable == [])
        #expect(try await catalogue.streams(CatalogueQuery()).records == [])
    }

    @Test func whatLiesInAStoreIsThereUntilItIsNotedToBeOver() async throws {
        let place = try Place()
        let catalogue = try place.open()
        var assets = [asset("a0", of: "a", in: "1"), asset("a1", of: "a", in: "1")]
        for index in assets.indices { assets[index].location = "s3://b/\(index)" }
        assets[1].status = .expired
        try write(
            RecordingManifest(stream: stream("a", .completed), assets: assets),
            to: "\(place.path)/recordings/hls/room/2026-02-02/1/manifest.json")
        _ = try await catalogue.rebuild(
            streams: "\(place.path)/streams", recordings: "\(place.path)/recordings")
        #expect(try await catalogue.asset("a0") == assets[0])
        #expect(try await catalogue.assetsToUpload(limit: 9).isEmpty)
        #expect(try await catalogue.assetsToRemoveFromStore(limit: 9) == [assets[1]])
    }

    @Test(
        arguments: [
            (.running, nil, .failed), (.postProcessing, .stopped, .completed),
            (.postProcessing, .failed(StreamFailure(.diskFull, "x")), .failed),
        ] as [(LiveStream.Status, StreamEnd?, LiveStream.Status)])
    func aStreamOfWhichThereAreAssetsOnlyIsOver(
        status: LiveStream.Status, why: StreamEnd?, end: LiveStream.Status
    ) async throws {
        let place = try Place()
        let catalogue = try place.open()
        var left = stream("a", status)
        left.end = why
        // The finisher of this one is running, no matter what it has made already.
        let kept = stream("b", status)
        try write(kept, to: "\(place.path)/streams/room/b/stream.json")
        for (stream, epoch) in [(left, 1), (kept, 2)] {
            try write(
                RecordingManifest(stream: stream, assets: []),
                to: "\(place.path)/recordings/hls/room/2026-02-02/\(epoch)/manifest.json")
        }
        _ = try await catalogue.rebuild(
            streams: "\(place.path)/streams", recordings: "\(place.path)/recordings")
        #expect(try await catalogue.stream("a")?.status == end)
        #expect(
            try await catalogue.stream("a")?.end
                == why ?? .failed(.serverRestarted))
        #expect(try await catalogue.unfinishedStreams() == [kept])
    }

    @Test func aCopiedDirectoryIsNoStream() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let copy = "\(place.path)/streams/room/copy/stream.json"
        try write(stream("a", .completed), to: copy)
        let rebuilt = try await catalogue.rebuild(
            streams: "\(place.path)/streams", recordings: "\(place.path)/recordings")
        #expect(rebuilt.streams == 0 && rebuilt.unreadable == [copy])
        #expect(try await catalogue.hasNoStreams())
    }

    /// A server keeps writing meanwhile: files first, then rows.
    @Test func nothingThatIsWrittenMeanwhileIsTakenBack() async throws {
        let place = try Place()
        let catalogue = try place.open()
        let ids = (0..<200).map { "s\($0)" }
        func end(_ id: String, as status: LiveStream.Status) async throws {
            try write(stream(id, status), to: "\(place.path)/streams/room/\(id)/stream.json")
            try await catalogue.save(stream(id, status))
        }
        for id in ids { try await end(id, as: .running) }
        async let rebuilt = catalogue.rebuild(
            streams: "\(place.path)/streams", recordings: "\(place.path)/recordings")
        for id in ids { try await end(id, as: .completed) }
        _ = try await rebuilt
        #expect(try await catalogue.unfinishedStreams() == [])
        #expect(try await catalogue.stream("s199") == stream("s199", .completed))
    }
}
