import GRDB
import MediaKernel

/// The uploads of assets to a store. Every completed asset without a location waits for upload,
/// without a separate queue, so no known asset can be forgotten.
extension Catalogue {
    /// The assets not yet in a store, oldest first, with the progress of their uploads. Excludes
    /// empty files, which have no part to send.
    public func assetsToUpload(
        limit: Int
    ) async throws(CatalogueError) -> [(asset: CatalogueAsset, upload: CatalogueUpload?)] {
        try await read { database in
            let assets = try CatalogueAsset.fetchAll(
                database,
                sql: """
                    SELECT * FROM asset
                    WHERE status = 'completed' AND location IS NULL AND bytes > 0
                    ORDER BY created, id LIMIT ?
                    """, arguments: [limit])
            let uploads = try CatalogueUpload.fetch(assets.map(\.id), from: database)
            return assets.map { ($0, uploads[$0.id]) }
        }
    }

    /// The uploads of these assets of one page.
    public func uploads(
        of assets: [String]
    ) async throws(CatalogueError) -> [String: CatalogueUpload] {
        guard !assets.isEmpty else { return [:] }
        return try await read { try CatalogueUpload.fetch(assets, from: $0) }
    }

    /// Saves the progress of an upload. If the asset has expired meanwhile, the upload stays, so
    /// that it is aborted in the store too.
    public func save(_ upload: CatalogueUpload) async throws(CatalogueError) {
        _ = try await write { try upload.insert(into: $0, onConflict: .replace) }
    }

    /// The store has confirmed the whole asset: saves its location.
    ///
    /// - Returns: false if the asset has expired meanwhile. The location is saved nevertheless, so
    ///   that the asset is removed from the store.
    @discardableResult
    public func stored(
        asset id: String, at location: String
    ) async throws(CatalogueError) -> Bool {
        try await write { database in
            try database.execute(
                sql: "UPDATE asset SET location = ? WHERE id = ?", arguments: [location, id])
            try database.execute(sql: "DELETE FROM upload WHERE asset = ?", arguments: [id])
            let status = try String.fetchOne(
                database, sql: "SELECT status FROM asset WHERE id = ?", arguments: [id])
            return status == CatalogueAsset.Status.completed.rawValue
        }
    }

    /// Uploads to abort, with their assets in the order of asset ids. The asset has expired, or is
    /// no longer listed, so that its path is unknown.
    ///
    /// - Parameter last: the last asset id of the previous page.
    public func abandonedUploads(
        after last: String? = nil, limit: Int
    ) async throws(CatalogueError) -> [(upload: CatalogueUpload, asset: CatalogueAsset?)] {
        let last = last ?? ""
        return try await read { database in
            try CatalogueUpload.fetchAll(
                database,
                sql: """
                    SELECT upload.* FROM upload LEFT JOIN asset ON asset.id = upload.asset
                    WHERE (asset.status IS NULL OR asset.status <> 'completed')
                        AND upload.asset > ?
                    ORDER BY upload.asset LIMIT ?
                    """, arguments: [last, limit]
            ).map { ($0, try CatalogueAsset.find($0.asset, in: database)) }
        }
    }

    public func removeUpload(of asset: String) async throws(CatalogueError) {
        try await write { database in
            try database.execute(sql: "DELETE FROM upload WHERE asset = ?", arguments: [asset])
        }
    }

    // MARK: Expiry

    /// Expired assets that are still in a store, oldest first.
    ///
    /// - Parameter last: the last asset of the previous page.
    public func assetsToRemoveFromStore(
        after last: CatalogueAsset? = nil, limit: Int
    ) async throws(CatalogueError) -> [CatalogueAsset] {
        let created = last?.createdAt.nanoseconds ?? Int64.min
        let id = last?.id ?? ""
        return try await read { database in
            try CatalogueAsset.fetchAll(
                database,
                sql: """
                    SELECT * FROM asset WHERE status = 'expired' AND location IS NOT NULL
                        AND (created, id) > (?, ?)
                    ORDER BY created, id LIMIT ?
                    """, arguments: [created, id, limit])
        }
    }

    public func removedFromStore(asset id: String) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: "UPDATE asset SET location = NULL WHERE id = ? AND status = 'expired'",
                arguments: [id])
        }
    }
}

extension CatalogueUpload: CatalogueRecord {
    static let table = "upload"

    init(_ row: RowReader) throws {
        self.init(
            asset: try row("asset"), progress: try row("progress"), bytesSent: try row("bytes"),
            failures: try row("failures"), reason: try row("reason"))
    }

    func write(to row: inout PersistenceContainer) {
        row["asset"] = asset
        row["progress"] = progress
        row["bytes"] = bytesSent
        row["failures"] = failures
        row["reason"] = reason
    }

    /// The uploads by asset.
    fileprivate static func fetch(
        _ assets: [String], from database: Database
    ) throws -> [String: CatalogueUpload] {
        let marks = databaseQuestionMarks(count: assets.count)
        let found = try fetchAll(
            database, sql: "SELECT * FROM upload WHERE asset IN (\(marks))",
            arguments: StatementArguments(assets))
        return Dictionary(uniqueKeysWithValues: found.map { ($0.asset, $0) })
    }
}
