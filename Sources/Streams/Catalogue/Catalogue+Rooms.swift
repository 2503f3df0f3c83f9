import GRDB
public import MediaKernel

/// The rooms. The catalogue is their only source of truth: no directory records them.
extension Catalogue {
    public func room(_ id: RoomID) async throws(CatalogueError) -> CatalogueRoom? {
        try await read { try CatalogueRoom.find(id.rawValue, in: $0) }
    }

    public func rooms(
        _ query: RoomQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueRoom> {
        try await read { try PageStatement(query).page(in: $0, id: \.id.rawValue) }
    }

    /// Creates a room, or changes the existing one with its name. Changes nothing if a room of
    /// another name has the id.
    ///
    /// - Parameters:
    ///   - room: a new room.
    ///   - change: applied to this room or the existing one; false leaves everything unchanged.
    public func createRoom(
        _ room: CatalogueRoom, change: @escaping @Sendable (inout CatalogueRoom) -> Bool
    ) async throws(CatalogueError) -> RoomUpdate {
        try await write { database in
            let old = try CatalogueRoom.find(named: room.name, in: database)
            if old == nil, try CatalogueRoom.find(room.id.rawValue, in: database) != nil {
                return .nameTaken(by: room.id)
            }
            return try CatalogueRoom.update(
                old ?? room, at: room.createdAt, in: database, change)
        }
    }

    /// - Parameter change: returns false to leave the room unchanged.
    public func updateRoom(
        _ id: RoomID, at now: UnixTime,
        change: @escaping @Sendable (inout CatalogueRoom) -> Bool
    ) async throws(CatalogueError) -> RoomUpdate {
        try await write { database in
            guard let room = try CatalogueRoom.find(id.rawValue, in: database) else {
                return .unknown
            }
            return try CatalogueRoom.update(room, at: now, in: database, change)
        }
    }

    /// Returns the room with this id, creating it if it does not exist.
    ///
    /// - Parameter otherName: a unique name, for use if another room has the wanted one.
    public func registerRoom(
        _ room: CatalogueRoom, otherName: String
    ) async throws(CatalogueError) -> CatalogueRoom {
        // Most joined rooms already exist, and readers do not wait.
        if let known = try await self.room(room.id) { return known }
        return try await write { database in
            if let known = try CatalogueRoom.find(room.id.rawValue, in: database) { return known }
            var room = room
            if try CatalogueRoom.find(named: room.name, in: database) != nil {
                room.name = otherName
            }
            try room.upsert(into: database)
            return room
        }
    }
}

extension CatalogueRoom: CatalogueRecord {
    static let table = "room"

    init(_ row: RowReader) throws {
        let seconds: Int64? = try row("maxSeconds")
        self.init(
            id: try row.id("id"), name: try row("name"), description: try row("description"),
            isEnabled: try row("enabled"), size: try row("size"), isLarge: try row("large"),
            durationMaximum: seconds.map { .seconds($0) }, template: try row("template"),
            webhook: try row.document("webhook"), createdAt: try row.time("created"))
        updatedAt = try row.time("updated")
    }

    func write(to row: inout PersistenceContainer) throws {
        row["id"] = id.rawValue
        row["name"] = name
        row["nameKey"] = Self.nameKey(name)
        row["description"] = description
        row["enabled"] = isEnabled
        row["size"] = size
        row["large"] = isLarge
        row["maxSeconds"] = durationMaximum?.components.seconds
        row["template"] = template
        try row.set(webhook, in: "webhook")
        row["created"] = createdAt.nanoseconds
        row["updated"] = updatedAt.nanoseconds
    }

    static func find(named name: String, in database: Database) throws -> CatalogueRoom? {
        try fetchOne(
            database, sql: "SELECT * FROM room WHERE nameKey = ?", arguments: [nameKey(name)])
    }

    /// The key that equivalent names share.
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
        try room.upsert(into: database)
        return .updated(room)
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
