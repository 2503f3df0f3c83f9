import Foundation
import GRDB
public import MediaKernel

/// The rooms there are. Of these the catalogue is the truth: no directory knows of them.
extension Catalogue {
    public func room(_ id: RoomID) async throws(CatalogueError) -> CatalogueRoom? {
        try await read { try CatalogueRoom.find(id, in: $0) }
    }

    public func rooms(
        _ query: RoomQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueRoom> {
        try await read { database in
            try PageStatement(query).page(in: database, id: \.id.rawValue) { CatalogueRoom($0) }
        }
    }

    /// Makes a room, or changes the one that has its name already.
    ///
    /// - Parameters:
    ///   - room: of whose name and id nothing is known yet.
    ///   - change: what becomes of this room, or of the other one; false leaves all as it was.
    public func createRoom(
        _ room: CatalogueRoom, change: @escaping @Sendable (inout CatalogueRoom) -> Bool
    ) async throws(CatalogueError) -> RoomUpdate {
        try await write { database in
            let old = try CatalogueRoom.find(named: room.name, in: database)
            return try CatalogueRoom.update(
                old ?? room, at: room.createdAt, in: database, change)
        }
    }

    /// - Parameter change: false leaves the room as it was.
    public func updateRoom(
        _ id: RoomID, at now: UnixTime,
        change: @escaping @Sendable (inout CatalogueRoom) -> Bool
    ) async throws(CatalogueError) -> RoomUpdate {
        try await write { database in
            guard let room = try CatalogueRoom.find(id, in: database) else { return .unknown }
            return try CatalogueRoom.update(room, at: now, in: database, change)
        }
    }

    /// The room that is there under this id, or else this one from now on.
    ///
    /// - Parameter otherName: for when another room has its name; nobody else may have this one.
    public func registerRoom(
        _ room: CatalogueRoom, otherName: String
    ) async throws(CatalogueError) -> CatalogueRoom {
        // Most rooms that somebody enters are there already, and readers do not wait.
        if let known = try await self.room(room.id) { return known }
        return try await write { database in
            if let known = try CatalogueRoom.find(room.id, in: database) { return known }
            var room = room
            if try CatalogueRoom.find(named: room.name, in: database) != nil {
                room.name = otherName
            }
            try room.write(to: database)
            return room
        }
    }
}

extension CatalogueRoom {
    init(_ row: Row) {
        self.init(
            id: RoomID(row["id"]), name: row["name"], description: row["description"],
            isEnabled: row["enabled"], size: row["size"], isLarge: row["large"],
            durationMaximum: (row["maxSeconds"] as Int64?).map { .seconds($0) },
            template: row["template"],
            webhook: (row["webhook"] as String?).flatMap {
                try? JSONDocument.decode(RoomWebhook.self, from: Data($0.utf8), limits: .own)
            },
            createdAt: UnixTime(nanoseconds: row["created"]))
        updatedAt = UnixTime(nanoseconds: row["updated"])
    }

    static func find(_ id: RoomID, in database: Database) throws -> CatalogueRoom? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM room WHERE id = ?", arguments: [id.rawValue]
        ).map { CatalogueRoom($0) }
    }

    static func find(named name: String, in database: Database) throws -> CatalogueRoom? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM room WHERE nameKey = ?", arguments: [nameKey(name)]
        ).map { CatalogueRoom($0) }
    }

    /// What names that count as the same have in common.
    static func nameKey(_ name: String) -> String { name.lowercased() }

    fileprivate static func update(
        _ room: CatalogueRoom, at now: UnixTime, in database: Database,
        _ change: (inout CatalogueRoom) -> Bool
    ) throws -> RoomUpdate {
        var room = room
        guard change(&room) else { return .refused }
        let namesake = try find(named: room.name, in: database)
        if let namesake, namesake.id != room.id { return .nameTaken(by: namesake.id) }
        room.updatedAt = now
        try room.write(to: database)
        return .updated(room)
    }

    fileprivate func write(to database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO room
                (id, name, nameKey, description, enabled, size, large, maxSeconds, created,
                 updated, template, webhook)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, nameKey = excluded.nameKey,
                description = excluded.description, enabled = excluded.enabled,
                size = excluded.size, large = excluded.large, maxSeconds = excluded.maxSeconds,
                updated = excluded.updated, template = excluded.template,
                webhook = excluded.webhook
                """,
            arguments: [
                id.rawValue, name, Self.nameKey(name), description, isEnabled, size, isLarge,
                durationMaximum?.components.seconds, createdAt.nanoseconds, updatedAt.nanoseconds,
                template,
                try webhook.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) },
            ])
    }
}

extension PageStatement {
    init(_ query: RoomQuery) {
        var template: (column: String, value: (any DatabaseValueConvertible)?)?
        switch query.template {
        case nil: break
        case .standard?: template = ("template", nil)
        case .written(let id)?: template = ("template", id)
        }
        self.init(
            table: "room",
            filters: [
                ("nameKey", query.name.map { CatalogueRoom.nameKey($0) }),
                ("enabled", query.isEnabled),
            ], exact: template, created: (query.createdFrom, query.createdTo), start: query.start,
            limit: query.limit)
    }
}
