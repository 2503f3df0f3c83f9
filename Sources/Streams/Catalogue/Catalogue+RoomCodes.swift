import GRDB
public import MediaKernel

/// The codes for joining rooms. As for rooms, the catalogue is the source of truth.
extension Catalogue {
    public func roomCode(_ code: String) async throws(CatalogueError) -> RoomCode? {
        try await read { try RoomCode.find(code, in: $0) }
    }

    public func roomCodes(
        _ query: RoomCodeQuery
    ) async throws(CatalogueError) -> CataloguePage<RoomCode> {
        try await read { try PageStatement(query).page(in: $0, id: \.code) }
    }

    /// Makes codes for those roles that have no enabled code. If the room has the maximum of codes,
    /// the codes that were disabled longest ago are removed.
    ///
    /// - Parameters:
    ///   - areAll: whether the room has no other roles; then codes of others are disabled.
    ///   - newCode: called again as long as its code is already in use.
    /// - Returns: the newest enabled code of each role, in order; nil, with no code made, if the
    ///   room has too many enabled codes.
    public func makeRoomCodes(
        of roles: [String], areAll: Bool, room: RoomID, at now: UnixTime,
        newCode: @escaping @Sendable () -> String
    ) async throws(CatalogueError) -> [RoomCode]? {
        try await write { database in
            if areAll { try RoomCode.disable(allBut: roles, of: room, at: now, in: database) }
            var enabled = try RoomCode.enabled(of: room, in: database)
            let known = Set(enabled.map(\.role))
            let new = roles.filter { !known.contains($0) }
            let left = RoomCode.perRoomMaximum - enabled.count - new.count
            guard new.isEmpty || left >= 0 else { return nil }
            try RoomCode.forgetDisabled(of: room, keeping: left, in: database)
            for role in new {
                enabled.append(
                    try RoomCode.make(room: room, role: role, at: now, in: database, newCode))
            }
            return roles.compactMap { role in enabled.last { $0.role == role } }
        }
    }

    /// - Returns: the updated code; nil if there is none.
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

extension RoomCode: CatalogueRecord {
    static let table = "roomCode"

    init(_ row: RowReader) throws {
        self.init(
            code: try row("id"), room: try row.id("room"), role: try row("role"),
            isEnabled: try row("enabled"), createdAt: try row.time("created"))
        updatedAt = try row.time("updated")
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = code
        row["room"] = room.rawValue
        row["role"] = role
        row["enabled"] = isEnabled
        row["created"] = createdAt.nanoseconds
        row["updated"] = updatedAt.nanoseconds
    }

    /// Oldest first.
    fileprivate static func enabled(of room: RoomID, in database: Database) throws -> [RoomCode] {
        try fetchAll(
            database, sql: "SELECT * FROM roomCode WHERE room = ? AND enabled ORDER BY created, id",
            arguments: [room.rawValue])
    }

    fileprivate static func disable(
        allBut roles: [String], of room: RoomID, at now: UnixTime, in database: Database
    ) throws {
        for code in try enabled(of: room, in: database) where !roles.contains(code.role) {
            try database.execute(
                sql: "UPDATE roomCode SET enabled = 0, updated = ? WHERE id = ?",
                arguments: [now.nanoseconds, code.code])
        }
    }

    /// - Parameter count: the number of disabled codes to keep.
    fileprivate static func forgetDisabled(
        of room: RoomID, keeping count: Int, in database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM roomCode WHERE id IN (
                    SELECT id FROM roomCode WHERE room = ? AND NOT enabled
                    ORDER BY updated DESC, id DESC LIMIT -1 OFFSET ?)
                """, arguments: [room.rawValue, count])
    }

    fileprivate static func make(
        room: RoomID, role: String, at now: UnixTime, in database: Database,
        _ newCode: () -> String
    ) throws -> RoomCode {
        while true {
            let made = RoomCode(code: newCode(), room: room, role: role, createdAt: now)
            if try made.insert(into: database, onConflict: .ignore) { return made }
        }
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
