import GRDB
public import MediaKernel

/// The codes with which rooms are entered. As of rooms, the catalogue is the truth of them.
extension Catalogue {
    public func roomCode(_ code: String) async throws(CatalogueError) -> RoomCode? {
        try await read { try RoomCode.find(code, in: $0) }
    }

    public func roomCodes(
        _ query: RoomCodeQuery
    ) async throws(CatalogueError) -> CataloguePage<RoomCode> {
        try await read { database in
            try PageStatement(query).page(in: database, id: \.code) { RoomCode($0) }
        }
    }

    /// Makes the codes of those roles that have none yet.
    ///
    /// - Parameters:
    ///   - areAll: whether the room has no other roles; then codes of others are disabled.
    ///   - newCode: asked again for as long as what it gives is another one's code.
    /// - Returns: the codes of these roles, in their order.
    public func makeRoomCodes(
        of roles: [String], areAll: Bool, room: RoomID, at now: UnixTime,
        newCode: @escaping @Sendable () -> String
    ) async throws(CatalogueError) -> [RoomCode] {
        try await write { database in
            if areAll { try RoomCode.disable(allBut: roles, of: room, at: now, in: database) }
            return try roles.map { role in
                if let known = try RoomCode.find(role: role, of: room, in: database) {
                    return known
                }
                while true {
                    let made = RoomCode(
                        code: newCode(), room: room, role: role, createdAt: now)
                    if try made.insert(into: database) { return made }
                }
            }
        }
    }

    /// - Returns: the code as it is now; nil when there is none.
    public func setRoomCode(
        _ code: String, isEnabled: Bool, at now: UnixTime
    ) async throws(CatalogueError) -> RoomCode? {
        try await write { database in
            try database.execute(
                sql: "UPDATE roomCode SET enabled = ?, updated = ? WHERE id = ?",
                arguments: [isEnabled, now.nanoseconds, code])
            return try RoomCode.find(code, in: database)
        }
    }
}

extension RoomCode {
    fileprivate init(_ row: Row) {
        self.init(
            code: row["id"], room: RoomID(row["room"]), role: row["role"],
            isEnabled: row["enabled"], createdAt: UnixTime(nanoseconds: row["created"]))
        updatedAt = UnixTime(nanoseconds: row["updated"])
    }

    fileprivate static func find(_ code: String, in database: Database) throws -> RoomCode? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM roomCode WHERE id = ?", arguments: [code]
        ).map { RoomCode($0) }
    }

    fileprivate static func find(
        role: String, of room: RoomID, in database: Database
    ) throws -> RoomCode? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM roomCode WHERE room = ? AND role = ?",
            arguments: [room.rawValue, role]
        ).map { RoomCode($0) }
    }

    fileprivate static func disable(
        allBut roles: [String], of room: RoomID, at now: UnixTime, in database: Database
    ) throws {
        let enabled = try Row.fetchAll(
            database, sql: "SELECT * FROM roomCode WHERE room = ? AND enabled",
            arguments: [room.rawValue]
        ).map { RoomCode($0) }
        for code in enabled where !roles.contains(code.role) {
            try database.execute(
                sql: "UPDATE roomCode SET enabled = 0, updated = ? WHERE id = ?",
                arguments: [now.nanoseconds, code.code])
        }
    }

    /// - Returns: false when there is such a code already.
    fileprivate func insert(into database: Database) throws -> Bool {
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO roomCode (id, room, role, enabled, created, updated)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                code, room.rawValue, role, isEnabled, createdAt.nanoseconds,
                updatedAt.nanoseconds,
            ])
        return database.changesCount > 0
    }
}

extension PageStatement {
    init(_ query: RoomCodeQuery) {
        self.init(
            table: "roomCode",
            filters: [
                ("room", query.room.rawValue), ("role", query.role),
                ("enabled", query.isEnabled),
            ], start: query.start, limit: query.limit)
    }
}
