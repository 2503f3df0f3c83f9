import Catalogue
import Foundation
import MediaKernel
import Streams
import Testing
import Workbench

/// Recordings that applications know by ids of their own.
@Suite struct RecordingLabelTests {
    private func recording(_ id: String, label: String?, second: Int64) -> CatalogueStream {
        var stream = CatalogueStream(
            id: StreamID(id), room: "r", kind: .recording, status: .completed,
            createdAt: UnixTime(seconds: 1_770_000_000 + second), directory: "r/\(id)")
        stream.label = label
        return stream
    }

    @Test func recordingsAreFoundByTheirLabels() async throws {
        let scratch = try Scratch()
        let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        let labels = RecordingLabels(catalogue)
        for (index, label) in ["a", "a~1", "a~10", "ab", "a-1", nil, "b"].enumerated() {
            try await catalogue.save(
                recording("s\(index)", label: label, second: Int64(index)))
        }
        #expect(try await labels.recording("a~1")?.id == "s1")
        #expect(try await labels.recording("a~2") == nil)
        #expect(try await labels.inUse(of: "a") == ["a", "a~1", "a~10"])
        let ids = try await labels.recordings(limit: 3).map(\.id)
        #expect(ids == ["s6", "s4", "s3"])
    }

    @Test func aForgottenOneLeavesItsLabelAndItsFilesExpire() async throws {
        let scratch = try Scratch()
        let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        let labels = RecordingLabels(catalogue)
        let now = UnixTime(seconds: 1_770_000_100)
        for name in ["old", "new"] {
            let asset = CatalogueAsset(
                id: "\(name)-0", stream: StreamID(name), room: "r", kind: .roomComposite,
                path: "beam/r/\(name).mp4", byteCount: 5, createdAt: now)
            try await catalogue.save(
                recording(name, label: name, second: 0), assets: [asset])
        }
        #expect(try await labels.forget("old", at: now).map(\.id) == ["old-0"])
        #expect(try await labels.recording("old") == nil)
        #expect(try await labels.inUse(of: "old").isEmpty)
        #expect(try await labels.recordings(limit: 10).map(\.id) == ["new"])
        #expect(try await catalogue.expireAssets(at: now).map(\.id) == ["old-0"])
        // Labels are in the streams' files, too.
        let file = try JSONDocument.decode(
            CatalogueStream.self, from: try encoded(recording("x", label: "l", second: 0)))
        #expect(file.label == "l")
    }

    private func encoded(_ stream: CatalogueStream) throws -> [UInt8] {
        Array(try JSONEncoder().encode(stream))
    }
}
