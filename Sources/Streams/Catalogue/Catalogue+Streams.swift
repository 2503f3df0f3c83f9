import GRDB
public import MediaKernel
public import Streams

extension Catalogue {
    /// Saves a stream, its assets and its events in one transaction.
    ///
    /// A final stream does not change, and its events are not added. So each stream has one end and
    /// one terminal event, even after a crash between the end and its saving.
    ///
    /// - Returns: false if the stream was already final.
    @discardableResult
    public func save(
        _ stream: CatalogueStream, assets: [CatalogueAsset] = [],
        telling deliveries: [CatalogueDelivery] = []
    ) async throws(CatalogueError) -> Bool {
        try await write { database in
            let status = try String.fetchOne(
                database, sql: "SELECT status FROM stream WHERE id = ?",
                arguments: [stream.id.rawValue])
            guard status.flatMap(LiveStream.Status.init)?.isFinal != true else {
                return false
            }
            try stream.insert(into: database, onConflict: .replace)
            for asset in assets { try asset.insert(into: database, onConflict: .replace) }
            for delivery in deliveries { try delivery.insert(into: database) }
            return true
        }
    }

    public func stream(_ id: StreamID) async throws(CatalogueError) -> CatalogueStream? {
        try await read { try CatalogueStream.find(id.rawValue, in: $0) }
    }

    /// Whether the catalogue has no streams, like a new one.
    public func hasNoStreams() async throws(CatalogueError) -> Bool {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT 1 FROM stream LIMIT 1") == nil
        }
    }

    /// The streams that a restart finds unfinished, oldest first.
    public func unfinishedStreams() async throws(CatalogueError) -> [CatalogueStream] {
        try await read { database in
            try CatalogueStream.fetchAll(
                database,
                sql: """
                    SELECT * FROM stream WHERE status NOT IN ('completed', 'failed')
                    ORDER BY created, id
                    """)
        }
    }

    /// The directories of all final streams, relative to the root of streams.
    public func finalStreamDirectories() async throws(CatalogueError) -> Set<String> {
        try await read { database in
            try String.fetchSet(
                database,
                sql: "SELECT directory FROM stream WHERE status IN ('completed', 'failed')")
        }
    }

    public func streams(
        _ query: CatalogueQuery<LiveStream.Status>
    ) async throws(CatalogueError) -> CataloguePage<CatalogueStream> {
        try await read { database in
            let statement = PageStatement(
                table: "stream",
                filters: [
                    ("room", query.room?.rawValue), ("session", query.session?.rawValue),
                    ("id", query.stream?.rawValue), ("status", query.status?.rawValue),
                ], isRecorded: query.isRecorded, isPushed: query.isPushed, kind: query.kind,
                start: query.start,
                limit: query.limit)
            return try statement.page(in: database, id: \.id.rawValue)
        }
    }
}

extension CatalogueStream: CatalogueRecord {
    static let table = "stream"

    init(_ row: RowReader) throws {
        self.init(
            id: try row.id("id"), room: try row.id("room"), session: try row.id("session"),
            kind: try row.choice("kind"), status: try row.choice("status"),
            createdAt: try row.time("created"), directory: try row("directory"),
            assetDirectory: try row("assetDirectory"), details: try row("details"))
        if let code: String = try row("endCode") {
            end = StreamEnd(code: code, detail: try row("endDetail"))
            guard end != nil else { throw row.unknownValue(in: "endCode") }
        }
        label = try row("label")
        updatedAt = try row.time("updated")
        stoppedAt = try row.time("stopped")
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = id.rawValue
        row["room"] = room.rawValue
        row["session"] = session?.rawValue
        row["kind"] = kind.rawValue
        row["status"] = status.rawValue
        row["endCode"] = end?.code
        row["endDetail"] = end?.detail
        row["created"] = createdAt.nanoseconds
        row["updated"] = updatedAt.nanoseconds
        row["stopped"] = stoppedAt?.nanoseconds
        row["directory"] = directory
        row["assetDirectory"] = assetDirectory
        row["details"] = details
        row["label"] = label
    }
}
