import GRDB
public import MediaKernel

extension Catalogue {
    /// Writes a stream down, its assets and what is to be told of it, in one transaction.
    ///
    /// A stream that is final stays as it is and nothing is told: so each stream has one end, and
    /// one terminal event, also when a crash lies between an end and its being written down.
    ///
    /// - Returns: false when the stream was final already.
    @discardableResult
    public func save(
        _ stream: CatalogueStream, assets: [CatalogueAsset] = [],
        telling deliveries: [CatalogueDelivery] = []
    ) async throws(CatalogueError) -> Bool {
        try await write { database in
            let status = try String.fetchOne(
                database, sql: "SELECT status FROM stream WHERE id = ?",
                arguments: [stream.id.rawValue])
            guard status.flatMap(CatalogueStream.Status.init)?.isFinal != true else {
                return false
            }
            try stream.write(to: database)
            for asset in assets { try asset.write(to: database) }
            for delivery in deliveries { try delivery.insert(into: database) }
            return true
        }
    }

    public func stream(_ id: StreamID) async throws(CatalogueError) -> CatalogueStream? {
        try await read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM stream WHERE id = ?", arguments: [id.rawValue]
            ).map { CatalogueStream($0) }
        }
    }

    /// Whether it knows of none, as one that was just made.
    public func hasNoStreams() async throws(CatalogueError) -> Bool {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT 1 FROM stream LIMIT 1") == nil
        }
    }

    /// What a restart finds unfinished, oldest first.
    public func unfinishedStreams() async throws(CatalogueError) -> [CatalogueStream] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM stream WHERE status NOT IN ('completed', 'failed')
                    ORDER BY created, id
                    """
            ).map { CatalogueStream($0) }
        }
    }

    /// Of all that have come to their end, as they are below the root of streams.
    public func finalStreamDirectories() async throws(CatalogueError) -> Set<String> {
        try await read { database in
            try String.fetchSet(
                database,
                sql: "SELECT directory FROM stream WHERE status IN ('completed', 'failed')")
        }
    }

    public func streams(
        _ query: CatalogueQuery<CatalogueStream.Status>
    ) async throws(CatalogueError) -> CataloguePage<CatalogueStream> {
        try await read { database in
            let statement = PageStatement(
                table: "stream",
                filters: [
                    ("room", query.room?.rawValue), ("session", query.session?.rawValue),
                    ("id", query.stream?.rawValue), ("status", query.status?.rawValue),
                ], isRecorded: query.isRecorded, kind: query.kind, start: query.start,
                limit: query.limit)
            return try statement.page(in: database, id: \.id.rawValue) { CatalogueStream($0) }
        }
    }
}

extension CatalogueStream {
    init(_ row: Row) {
        self.init(
            id: StreamID(row["id"]), room: RoomID(row["room"]),
            session: (row["session"] as String?).map { SessionID($0) },
            kind: Kind(rawValue: row["kind"]) ?? .stream,
            status: Status(rawValue: row["status"]) ?? .failed,
            createdAt: UnixTime(nanoseconds: row["created"]), directory: row["directory"],
            assetDirectory: row["assetDirectory"],
            details: row["details"])
        reason = row["reason"]
        updatedAt = UnixTime(nanoseconds: row["updated"])
        stoppedAt = (row["stopped"] as Int64?).map { UnixTime(nanoseconds: $0) }
    }

    func write(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO stream
                (id, room, session, status, reason, created, updated, stopped, directory,
                 assetDirectory, details, kind)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.rawValue, room.rawValue, session?.rawValue, status.rawValue, reason,
                createdAt.nanoseconds, updatedAt.nanoseconds, stoppedAt?.nanoseconds, directory,
                assetDirectory, details, kind.rawValue,
            ])
    }
}
