import Foundation
import GRDB
import MediaKernel
import Streams
import Testing
import Workbench

@testable import Catalogue

/// Names of recordings, and which are deleted.
@Suite struct RecordingNoteTests {
    private static let time = UnixTime(seconds: 1_770_000_000)
    private static let directory = "hls/room/2026-02-02/1"

    private func stream(_ id: String = "a") -> CatalogueStream {
        var stream = CatalogueStream(
            id: StreamID(id), room: "room", status: .completed, createdAt: Self.time,
            directory: "room/\(id)", assetDirectory: Self.directory)
        stream.end = .stopped
        stream.label = "mine"
        return stream
    }

    private func asset(_ id: String = "a-0") -> CatalogueAsset {
        CatalogueAsset(
            id: id, stream: "a", room: "room", kind: .roomComposite,
            path: "\(Self.directory)/\(id).mp4", byteCount: 3, createdAt: Self.time)
    }

    private func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private func found(_ catalogue: Catalogue, _ text: String? = nil) async throws -> [StreamID] {
        try await RecordingNotes(catalogue).recordings(
            CatalogueQuery(), matching: RecordingSearch(text: text)
        ).records.map(\.id)
    }

    @Test func aNameOutlivesTheCatalogue() async throws {
        let place = try Place()
        let (streams, recordings) = ("\(place.path)/streams", "\(place.path)/recordings")
        try write(try JSONEncoder().encode(stream()), to: "\(streams)/room/a/stream.json")
        let manifest = RecordingManifest(stream: stream(), assets: [asset()])
        try write(manifest.encoded, to: "\(recordings)/\(Self.directory)/manifest.json")
        try write([1, 2, 3], to: "\(recordings)/\(asset().path)")
        let note = RecordingNote(stream: "a", name: "Große Sitzung")
        try write(note.encoded, to: "\(recordings)/\(Self.directory)/recording.json")
        let catalogue = try place.open()
        for _ in 0..<2 {
            let rebuilt = try await catalogue.rebuild(streams: streams, recordings: recordings)
            #expect(rebuilt.unreadable.isEmpty)
            #expect(try await RecordingNotes(catalogue).notes(of: ["a", "b"]) == ["a": note])
            #expect(try await found(catalogue, "SITZUNG") == ["a"])
        }
        // A deleted one stays deleted, and its files are removed, if they still are there.
        let deleted = RecordingNote(stream: "a", deletedAt: Self.time)
        try write(deleted.encoded, to: "\(recordings)/\(Self.directory)/recording.json")
        _ = try await catalogue.rebuild(streams: streams, recordings: recordings)
        #expect(try await found(catalogue) == [])
        #expect(try await catalogue.stream("a")?.label == nil)
        #expect(try await catalogue.expireAssets(at: Self.time).map(\.id) == ["a-0"])
        // Without its file a note is none.
        try FileManager.default.removeItem(
            atPath: "\(recordings)/\(Self.directory)/recording.json")
        _ = try await catalogue.rebuild(streams: streams, recordings: recordings)
        #expect(try await RecordingNotes(catalogue).notes(of: ["a"]) == [:])
        #expect(try await found(catalogue) == ["a"])
    }

    @Test func aCopiedNoteIsNone() async throws {
        let place = try Place()
        let recordings = "\(place.path)/recordings"
        try write(
            RecordingManifest(stream: stream(), assets: []).encoded,
            to: "\(recordings)/\(Self.directory)/manifest.json")
        let copy = "\(recordings)/hls/room/2026-02-02/2/recording.json"
        try write(RecordingNote(stream: "a", name: "x").encoded, to: copy)
        let broken = "\(recordings)/hls/room/2026-02-02/3/recording.json"
        try write("{".utf8, to: broken)
        let catalogue = try place.open()
        let rebuilt = try await catalogue.rebuild(
            streams: "\(place.path)/streams", recordings: recordings)
        #expect(rebuilt.unreadable == [copy, broken])
        #expect(try await RecordingNotes(catalogue).notes(of: ["a"]) == [:])
    }

    /// Each state of a stream replaces its row.
    @Test func aStreamThatGoesOnKeepsItsName() async throws {
        let place = try Place()
        defer { withExtendedLifetime(place) {} }
        let catalogue = try place.open()
        var running = stream()
        running.status = .running
        try await catalogue.save(running)
        let note = RecordingNote(stream: "a", name: "x")
        try await RecordingNotes(catalogue).save(note)
        try await catalogue.save(stream(), assets: [asset()])
        #expect(try await RecordingNotes(catalogue).notes(of: ["a"]) == ["a": note])
        #expect(try await RecordingLabels(catalogue).recording("mine")?.id == "a")
        try await RecordingNotes(catalogue).save(
            RecordingNote(stream: "a", deletedAt: Self.time))
        #expect(try await RecordingLabels(catalogue).recording("mine") == nil)
        #expect(try await catalogue.expireAssets(at: Self.time).map(\.id) == ["a-0"])
    }

    @Test func manyAreFoundInPages() async throws {
        let place = try Place()
        defer { withExtendedLifetime(place) {} }
        let catalogue = try place.open()
        for index in 0..<25 {
            var one = stream("s\(index + 10)")
            one.createdAt = UnixTime(seconds: 1_770_000_000 + Int64(index))
            try await catalogue.save(one)
            try await RecordingNotes(catalogue).save(
                RecordingNote(
                    stream: one.id, name: index.isMultiple(of: 2) ? "Even \(index)" : nil,
                    deletedAt: index == 4 ? Self.time : nil))
        }
        let notes = RecordingNotes(catalogue)
        var query = CatalogueQuery<LiveStream.Status>(limit: 10)
        let search = RecordingSearch(text: "even")
        let first = try await notes.recordings(query, matching: search)
        query.start = first.last
        let second = try await notes.recordings(query, matching: search)
        #expect(first.records.count == 10 && second.records.map(\.id) == ["s12", "s10"])
        #expect(second.last == nil)
    }

    /// A catalogue of an earlier version.
    @Test func anEarlierCatalogueGetsTheTable() async throws {
        let place = try Place()
        do {
            let database = try DatabaseQueue(path: place.database)
            try Schema.migrator.migrate(database, upTo: "21 backlogs of receivers")
            try await database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO stream (id, room, status, created, updated, directory,
                            assetDirectory, details) VALUES ('a', 'room', 'completed', 1, 1, 'room/a',
                            'hls/room/1970-01-01/0', '{}')
                        """)
            }
        }
        let catalogue = try place.open()
        #expect(try await found(catalogue, "ROO") == ["a"])
        try await RecordingNotes(catalogue).save(RecordingNote(stream: "a", name: "x"))
        #expect(try await found(catalogue, "x") == ["a"])
    }
}
