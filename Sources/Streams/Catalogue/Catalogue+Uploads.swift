import GRDB
import MediaKernel

/// Assets on their way into a store. What is completed and has no location waits for it, without
/// another word: so nothing that is known to exist can be forgotten.
extension Catalogue {
    /// What lies here only, the oldest first, with what is known of its upload. A file without a
    /// byte has no part that could be sent.
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

    /// What is known of the uploads of these assets, those of a page.
    public func uploads(
        of assets: [String]
    ) async throws(CatalogueError) -> [String: CatalogueUpload] {
        guard !assets.isEmpty else { return [:] }
        return try await read { try CatalogueUpload.fetch(assets, from: $0) }
    }

    /// Writes down how far an upload is. One of an asset that expired meanwhile stays, to be given
    /// up in the store too.
    public func save(_ upload: CatalogueUpload) async throws(CatalogueError) {
        _ = try await write { try upload.insert(into: $0, onConflict: .replace) }
    }

    /// The store has shown the whole asset: it lies there.
    ///
    /// - Returns: false when its time was over meanwhile. It has the location nevertheless, so that
    ///   it is removed from there.
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

    /// Uploads of which nothing will come, with what they are of: the asset's time is over, or it
    /// is not listed any more and its path is not known. In the order of the assets' ids.
    ///
    /// - Parameter last: the asset that ended the page before.
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

    /// What is over and still lies in a store, the oldest first.
    ///
    /// - Parameter last: what ended the page before.
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

    /// By their assets.
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
