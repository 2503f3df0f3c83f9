import GRDB
public import MediaKernel

extension Catalogue {
    /// Saves assets, replacing those with the same id.
    public func save(_ assets: [CatalogueAsset]) async throws(CatalogueError) {
        try await write { database in
            for asset in assets { try asset.insert(into: database, onConflict: .replace) }
        }
    }

    public func asset(_ id: String) async throws(CatalogueError) -> CatalogueAsset? {
        try await read { try CatalogueAsset.find(id, in: $0) }
    }

    public func assets(
        _ query: CatalogueQuery<CatalogueAsset.Status>
    ) async throws(CatalogueError) -> CataloguePage<CatalogueAsset> {
        try await read { try PageStatement(query).page(in: $0, id: \.id) }
    }

    /// All assets of these streams, in the order of their ids.
    ///
    /// - Parameter streams: the streams of one page.
    public func assets(
        of streams: [StreamID]
    ) async throws(CatalogueError) -> [StreamID: [CatalogueAsset]] {
        guard !streams.isEmpty else { return [:] }
        let marks = Array(repeating: "?", count: streams.count).joined(separator: ", ")
        return try await read { database in
            let found = try CatalogueAsset.fetchAll(
                database, sql: "SELECT * FROM asset WHERE stream IN (\(marks)) ORDER BY id",
                arguments: StatementArguments(streams.map(\.rawValue)))
            return Dictionary(grouping: found, by: \.stream)
        }
    }

    /// Marks expired assets before their files are removed, so that assets shown as completed
    /// exist.
    ///
    /// - Parameters:
    ///   - held: streams whose assets are not marked yet.
    ///   - limit: the most assets at a time, to keep the transaction short.
    /// - Returns: the assets that were marked; their files are to be removed.
    public func expireAssets(
        at now: UnixTime, except held: Set<StreamID> = [], limit: Int = 100
    ) async throws(CatalogueError) -> [CatalogueAsset] {
        let marks = databaseQuestionMarks(count: held.count)
        let arguments =
            StatementArguments([now.nanoseconds]) + StatementArguments(held.map(\.rawValue))
            + StatementArguments([limit])
        return try await write { database in
            try CatalogueAsset.fetchAll(
                database,
                sql: """
                    UPDATE asset SET status = 'expired' WHERE id IN (
                        SELECT id FROM asset WHERE status = 'completed' AND expires <= ?
                            AND stream NOT IN (\(marks))
                        ORDER BY expires LIMIT ?) RETURNING *
                    """, arguments: arguments)
        }
    }
}

extension CatalogueAsset: CatalogueRecord {
    static let table = "asset"

    init(_ row: RowReader) throws {
        let duration: Int64? = try row("duration")
        self.init(
            id: try row("id"), stream: try row.id("stream"), room: try row.id("room"),
            session: try row.id("session"), kind: try row.choice("kind"),
            status: try row.choice("status"), path: try row("path"), byteCount: try row("bytes"),
            duration: duration.map { .nanoseconds($0) }, createdAt: try row.time("created"),
            expiresAt: try row.time("expires"), layer: try row("layer"),
            layerCount: try row("layers"))
        thumbnails = try row.document("thumbnails")
        track = try row.document("track")
        transcript = try row.document("transcript")
        if let width: Int = try row("width"), let height: Int = try row("height") {
            size = Size(width: width, height: height)
        }
        location = try row("location")
    }

    func write(to row: inout PersistenceContainer) throws {
        row["id"] = id
        row["stream"] = stream.rawValue
        row["room"] = room.rawValue
        row["session"] = session?.rawValue
        row["kind"] = kind.rawValue
        row["status"] = status.rawValue
        row["path"] = path
        row["bytes"] = byteCount
        row["duration"] = duration?.nanoseconds
        row["created"] = createdAt.nanoseconds
        row["expires"] = expiresAt?.nanoseconds
        row["width"] = size?.width
        row["height"] = size?.height
        row["layer"] = layer
        row["layers"] = layerCount
        row["location"] = location
        try row.set(thumbnails, in: "thumbnails")
        try row.set(track, in: "track")
        try row.set(transcript, in: "transcript")
    }
}
