import GRDB
public import MediaKernel
public import Streams

/// The names of recordings, and which are deleted: rows of their own, since a stream's row is
/// replaced whole with each of its states.
public struct RecordingNotes: Sendable {
    let catalogue: Catalogue

    public init(_ catalogue: Catalogue) { self.catalogue = catalogue }

    /// The notes on these recordings of one page.
    public func notes(
        of recordings: [StreamID]
    ) async throws(CatalogueError) -> [StreamID: RecordingNote] {
        guard !recordings.isEmpty else { return [:] }
        let marks = databaseQuestionMarks(count: recordings.count)
        return try await catalogue.read { database in
            let found = try RecordingNote.fetchAll(
                database, sql: "SELECT * FROM recordingNote WHERE id IN (\(marks))",
                arguments: StatementArguments(recordings.map(\.rawValue)))
            return Dictionary(uniqueKeysWithValues: found.map { ($0.stream, $0) })
        }
    }

    /// Saves a note. The assets of a deleted recording are over, and no application knows it by an
    /// id of its own any more: their files are removed as those of any that have expired.
    public func save(_ note: RecordingNote) async throws(CatalogueError) {
        try await catalogue.write { database in
            try note.insert(into: database, onConflict: .replace)
            guard let time = note.deletedAt else { return }
            try RecordingLabels.forget(note.stream, at: time, in: database)
        }
    }

    /// The recordings that are not deleted, newest first.
    public func recordings(
        _ query: CatalogueQuery<LiveStream.Status>, matching search: RecordingSearch
    ) async throws(CatalogueError) -> CataloguePage<CatalogueStream> {
        try await catalogue.read { database in
            let statement = PageStatement(
                table: "stream",
                filters: [
                    ("room", query.room?.rawValue), ("session", query.session?.rawValue),
                    ("id", query.stream?.rawValue), ("status", query.status?.rawValue),
                ], isRecorded: true, kind: query.kind,
                created: (search.from, search.to), further: search.conditions,
                start: query.start, limit: query.limit)
            return try statement.page(in: database, id: \.id.rawValue)
        }
    }
}

/// Which recordings are looked for. Nil fields match everything.
public struct RecordingSearch: Hashable, Sendable {
    /// A part of the recording's or the room's name, or of the room's id.
    public var text: String?
    /// The room whose id stands for the text, which may be one that ids cannot have.
    public var room: RoomID?
    /// Both ends included.
    public var from: UnixTime?
    public var to: UnixTime?

    public init(
        text: String? = nil, room: RoomID? = nil, from: UnixTime? = nil, to: UnixTime? = nil
    ) {
        self.text = text
        self.room = room
        self.from = from
        self.to = to
    }

    fileprivate var conditions: [PageStatement.Condition] {
        var conditions = [
            PageStatement.Condition(
                "NOT EXISTS (SELECT 1 FROM recordingNote AS note"
                    + " WHERE note.id = stream.id AND note.deleted IS NOT NULL)")
        ]
        if let text {
            let key = RecordingNote.searchKey(text)
            conditions.append(
                PageStatement.Condition(
                    """
                    (instr(lower(room), ?) > 0 OR room = ?
                    OR room IN (SELECT id FROM room WHERE instr(nameKey, ?) > 0)
                    OR id IN (SELECT id FROM recordingNote WHERE instr(nameKey, ?) > 0))
                    """, [key, room?.rawValue, key, key]))
        }
        return conditions
    }
}

extension RecordingNote: CatalogueRecord {
    static let table = "recordingNote"

    init(_ row: RowReader) throws {
        self.init(
            stream: try row.id("id"), name: try row("name"), deletedAt: try row.time("deleted"))
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = stream.rawValue
        row["name"] = name
        row["nameKey"] = name.map(Self.searchKey)
        row["deleted"] = deletedAt?.nanoseconds
    }
}
