import Catalogue
import Foundation
import Hummingbird
import MediaKernel
import NIOPosix
import Recording
import Streams

/// Gives recordings names, and deletes them.
struct RecordingKeeper: Sendable {
    let control: any LiveStreamControl
    let library: RecordingLibrary
    /// The root directory of streams.
    let streams: String
    let clock: @Sendable () -> UnixTime

    /// A recording that is not deleted.
    ///
    /// - Throws: 404.
    func recording(_ id: String?) async throws -> (record: CatalogueStream, note: RecordingNote) {
        guard let id, Limits.isIdentifier(id) else {
            throw APIError.unknownRecording()
        }
        let stream = StreamID(id)
        guard let record = try await library.catalogue.stream(stream),
            record.assetDirectory != nil
        else { throw APIError.unknownRecording(id) }
        let note =
            try await notes.notes(of: [stream])[stream] ?? RecordingNote(stream: stream)
        guard note.deletedAt == nil else {
            throw APIError.recordingGone("the recording was deleted", "recording \(id)")
        }
        return (record, note)
    }

    /// Names a recording, or takes its name from it.
    func rename(_ id: String?, _ request: Request) async throws {
        let body = try await JSON.decode(RecordingChangeBody.self, from: request)
        guard let change = body.name else {
            throw APIError.badRequest("nothing to change", "name is missing")
        }
        let (record, old) = try await recording(id)
        var note = old
        note.name = try Self.name(change)
        if note != old { try await save(note, of: record) }
    }

    /// Nil for an empty text.
    private static func name(_ text: String) throws(APIError) -> String? {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { return nil }
        guard RecordingNote.isName(name) else {
            throw .badRequest(
                "name is not valid",
                "one line of up to \(RecordingNote.nameBytesMaximum) bytes, without control characters"
            )
        }
        return name
    }

    /// Deletes a recording that is complete: its assets are over, and what the bots wrote of it is
    /// removed, so that nobody can play it at its public address either. Its record remains.
    func delete(_ id: String?) async throws {
        let (record, old) = try await recording(id)
        let live = record.status.isFinal ? nil : try await control.stream(record.id)
        guard record.status.isFinal || live?.status.isFinal == true else {
            throw APIError.conflict(
                "recording is in progress", "stop it, and wait until it is completed")
        }
        var note = old
        note.deletedAt = clock()
        try await save(note, of: record)
        // From the record's file, which may have been edited.
        let own = ["\(record.room)/\(record.id)", "\(record.room)/.\(record.id)"]
        guard own.contains(record.directory) else { return }
        let directory = "\(streams)/\(record.directory)"
        try await NIOThreadPool.singleton.runIfActive { try Self.removeMedia(in: directory) }
    }

    private var notes: RecordingNotes { RecordingNotes(library.catalogue) }

    /// The file first: rows are made from files, and never the other way round.
    private func save(_ note: RecordingNote, of record: CatalogueStream) async throws {
        guard let directory = record.assetDirectory,
            let place = RecordingPlace(directory: directory, room: record.room)
        else { throw APIError.conflict("the recording has no directory") }
        let path = "\(library.root)/\(place.directory)"
        do {
            try await NIOThreadPool.singleton.runIfActive {
                try AssetFile.write(note.encoded, to: RecordingNote.fileName, in: path)
            }
        } catch let error as RecordingError {
            throw APIError.unavailable("the recording's directory cannot be used", "\(error)")
        }
        try await notes.save(note)
    }

    /// The stream's own record is kept, as the catalogue is made of such.
    private static func removeMedia(in directory: String) throws {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: directory)) ?? []
        where name != StreamFile.name {
            try manager.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}

/// The body of a request to change a recording.
struct RecordingChangeBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    /// Empty for none.
    var name: String?

    enum CodingKeys: String, CodingKey, CaseIterable { case name }
}
