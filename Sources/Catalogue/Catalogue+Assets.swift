import Foundation
import GRDB
public import MediaKernel

extension Catalogue {
    /// Writes assets down; one with the same id is replaced.
    public func save(_ assets: [CatalogueAsset]) async throws(CatalogueError) {
        try await write { database in
            for asset in assets { try asset.write(to: database) }
        }
    }

    public func asset(_ id: String) async throws(CatalogueError) -> CatalogueAsset? {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM asset WHERE id = ?", arguments: [id])
                .map { CatalogueAsset($0) }
        }
    }

    public func assets(
        _ query: CatalogueQuery<CatalogueAsset.Status>
    ) async throws(CatalogueError) -> CataloguePage<CatalogueAsset> {
        try await read { database in
            try PageStatement(query).page(in: database, id: \.id) { CatalogueAsset($0) }
        }
    }

    /// All assets of these streams, in the order of their ids.
    ///
    /// - Parameter streams: those of a page.
    public func assets(
        of streams: [StreamID]
    ) async throws(CatalogueError) -> [StreamID: [CatalogueAsset]] {
        guard !streams.isEmpty else { return [:] }
        let marks = Array(repeating: "?", count: streams.count).joined(separator: ", ")
        return try await read { database in
            let found = try Row.fetchAll(
                database, sql: "SELECT * FROM asset WHERE stream IN (\(marks)) ORDER BY id",
                arguments: StatementArguments(streams.map(\.rawValue))
            ).map { CatalogueAsset($0) }
            return Dictionary(grouping: found, by: \.stream)
        }
    }

    /// Marks what has expired, before its files go: what is visible as completed is there.
    ///
    /// - Parameter limit: how many at a time, so that a transaction stays short.
    /// - Returns: those that were marked, whose files are to be removed.
    public func expireAssets(
        at now: UnixTime, limit: Int = 100
    ) async throws(CatalogueError) -> [CatalogueAsset] {
        try await write { database in
            let expired = try Row.fetchAll(
                database,
                sql: """
                    UPDATE asset SET status = 'expired' WHERE id IN (
                        SELECT id FROM asset WHERE status = 'completed' AND expires <= ?
                        ORDER BY expires LIMIT ?) RETURNING *
                    """, arguments: [now.nanoseconds, limit])
            return expired.map { CatalogueAsset($0) }
        }
    }
}

extension CatalogueAsset {
    init(_ row: Row) {
        self.init(
            id: row["id"], stream: StreamID(row["stream"]), room: RoomID(row["room"]),
            session: (row["session"] as String?).map { SessionID($0) },
            kind: Kind(rawValue: row["kind"]) ?? .roomComposite,
            status: Status(rawValue: row["status"]) ?? .failed, path: row["path"],
            byteCount: row["bytes"],
            duration: (row["duration"] as Int64?).map { .nanoseconds($0) },
            createdAt: UnixTime(nanoseconds: row["created"]),
            expiresAt: (row["expires"] as Int64?).map { UnixTime(nanoseconds: $0) },
            layer: row["layer"], layerCount: row["layers"])
        // Nobody looks into it but who shows it; what cannot be read is as good as none.
        thumbnails = (row["thumbnails"] as String?).flatMap {
            try? JSONDocument.decode(RecordingThumbnails.self, from: Data($0.utf8), limits: .own)
        }
        if let width = row["width"] as Int?, let height = row["height"] as Int? {
            size = Size(width: width, height: height)
        }
        location = row["location"]
    }

    func write(to database: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO asset
                (id, stream, room, session, kind, status, path, bytes, duration, created, expires,
                 width, height, layer, layers, location, thumbnails)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, stream.rawValue, room.rawValue, session?.rawValue, kind.rawValue,
                status.rawValue, path, byteCount, duration?.nanoseconds, createdAt.nanoseconds,
                expiresAt?.nanoseconds, size?.width, size?.height, layer, layerCount,
                location,
                try thumbnails.map { String(decoding: try encoder.encode($0), as: UTF8.self) },
            ])
    }
}
