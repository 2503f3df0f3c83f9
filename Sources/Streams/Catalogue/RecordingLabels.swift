import GRDB
public import MediaKernel

/// Recordings that an application knows by ids of its own. An id is free again once its recording
/// has been forgotten.
public struct RecordingLabels: Sendable {
    let catalogue: Catalogue

    public init(_ catalogue: Catalogue) { self.catalogue = catalogue }

    /// The recording with this id.
    public func recording(_ label: String) async throws(CatalogueError) -> CatalogueStream? {
        try await catalogue.read { database in
            try CatalogueStream.fetchOne(
                database,
                sql: """
                    SELECT * FROM stream WHERE label = ? ORDER BY created DESC, id DESC LIMIT 1
                    """, arguments: [label])
        }
    }

    /// The ids in use that are this one, or continue it with `~`.
    public func inUse(of base: String) async throws(CatalogueError) -> Set<String> {
        try await catalogue.read { database in
            try String.fetchSet(
                database,
                sql: """
                    SELECT label FROM stream
                    WHERE label = :base OR label >= :base || '~' AND label < :base || char(127)
                    """, arguments: ["base": base])
        }
    }

    /// The latest of all, newest first.
    public func recordings(limit: Int) async throws(CatalogueError) -> [CatalogueStream] {
        try await catalogue.read { database in
            try CatalogueStream.fetchAll(
                database,
                sql: """
                    SELECT * FROM stream WHERE label IS NOT NULL
                    ORDER BY created DESC, id DESC LIMIT ?
                    """, arguments: [limit])
        }
    }

    /// The recording is known by no id any more, and the time of its assets is over: their files are
    /// removed as those of any that have expired.
    ///
    /// - Returns: the assets.
    public func forget(
        _ id: StreamID, at now: UnixTime
    ) async throws(CatalogueError) -> [CatalogueAsset] {
        try await catalogue.write { try Self.forget(id, at: now, in: $0) }
    }

    /// - Returns: the assets.
    @discardableResult
    static func forget(
        _ id: StreamID, at now: UnixTime, in database: Database
    ) throws -> [CatalogueAsset] {
        try database.execute(
            sql: "UPDATE stream SET label = NULL WHERE id = ?", arguments: [id.rawValue])
        return try CatalogueAsset.fetchAll(
            database,
            sql: """
                UPDATE asset SET expires = ? WHERE stream = ? AND status = 'completed'
                RETURNING *
                """, arguments: [now.nanoseconds, id.rawValue])
    }
}
