import GRDB
public import MediaKernel

/// The sessions of rooms. One without an end that is there when a server starts was left behind by
/// another, and has to be closed.
extension Catalogue {
    /// Stays that are kept of a session when they are over. Later ones are forgotten when they end.
    static let staysMaximum = 10_000

    /// Writes a change down and what is to be told of it, in one transaction. What was written
    /// down before changes nothing and is not told again.
    public func save(
        _ change: SessionChange, telling delivery: CatalogueDelivery? = nil
    ) async throws(CatalogueError) {
        try await write { database in
            guard try change.write(to: database) else { return }
            try delivery?.insert(into: database)
        }
    }

    /// Oldest first, each with those who are in it.
    public func openSessions() async throws(CatalogueError) -> [OpenSession] {
        try await read { database in
            let sessions = try Row.fetchAll(
                database, sql: "SELECT * FROM session WHERE ended IS NULL ORDER BY created, id")
            return try sessions.map { row in
                let attendees = try Row.fetchAll(
                    database,
                    sql: "SELECT * FROM stay WHERE session = ? AND ended IS NULL ORDER BY number",
                    arguments: [row["id"] as String])
                return OpenSession(
                    id: SessionID(row["id"]), room: RoomID(row["room"]),
                    roomName: row["roomName"], template: row["template"],
                    startedAt: UnixTime(nanoseconds: row["created"]),
                    attendees: attendees.map { OpenSession.Attendee($0) })
            }
        }
    }

    /// Newest first, with who was in them.
    public func sessions(
        _ query: SessionQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueSession> {
        try await read { database in
            let statement = PageStatement(
                table: "session", filters: [("room", query.room?.rawValue)],
                isEnded: query.isActive.map { !$0 }, created: (query.from, query.to),
                start: query.start, limit: query.limit)
            var page = try statement.page(in: database, id: \.id.rawValue) { CatalogueSession($0) }
            for index in page.records.indices {
                try page.records[index].fill(from: database, maximum: query.attendancesMaximum)
            }
            return page
        }
    }

    /// - Parameter attendancesMaximum: more are left away.
    public func session(
        _ id: SessionID, attendancesMaximum: Int
    ) async throws(CatalogueError) -> CatalogueSession? {
        try await read { database in
            guard
                var session = try Row.fetchOne(
                    database, sql: "SELECT * FROM session WHERE id = ?", arguments: [id.rawValue]
                ).map({ CatalogueSession($0) })
            else { return nil }
            try session.fill(from: database, maximum: attendancesMaximum)
            return session
        }
    }

    /// Forgets sessions that ended until then.
    ///
    /// - Returns: how many were forgotten; as many as `limit` when there may be more.
    public func removeSessions(
        endedUntil time: UnixTime, limit: Int
    ) async throws(CatalogueError) -> Int {
        try await write { database in
            let ids = try String.fetchAll(
                database,
                sql: """
                    SELECT id FROM session WHERE ended IS NOT NULL AND ended <= ?
                    ORDER BY ended LIMIT ?
                    """, arguments: [time.nanoseconds, limit])
            for id in ids {
                try database.execute(sql: "DELETE FROM stay WHERE session = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id])
            }
            return ids.count
        }
    }
}

extension CatalogueSession {
    fileprivate init(_ row: Row) {
        self.init(
            id: SessionID(row["id"]), room: RoomID(row["room"]), roomName: row["roomName"],
            template: row["template"], createdAt: UnixTime(nanoseconds: row["created"]),
            updatedAt: UnixTime(nanoseconds: row["updated"]),
            endedAt: (row["ended"] as Int64?).map { UnixTime(nanoseconds: $0) })
    }

    /// A peer may come several times; each counts once.
    fileprivate mutating func fill(from database: Database, maximum: Int) throws {
        let stays = try Row.fetchAll(
            database,
            sql: """
                SELECT last.peer, last.user, last.name, last.role, first, whole.ended, present,
                    CASE WHEN last.ended IS NULL THEN last.joined END since
                FROM (
                    SELECT peer, min(joined) first, max(number) number, max(ended) ended,
                        coalesce(sum(ended - joined), 0) present
                    FROM stay WHERE session = ? GROUP BY peer ORDER BY first, peer LIMIT ?) whole
                JOIN stay last ON last.session = ? AND last.number = whole.number
                ORDER BY first, last.peer
                """, arguments: [id.rawValue, maximum + 1, id.rawValue])
        isCut = stays.count > maximum
        attendances = stays.prefix(maximum).map { row in
            let since = (row["since"] as Int64?).map { UnixTime(nanoseconds: $0) }
            return Attendance(
                peer: PeerID(row["peer"]), user: row["user"], name: row["name"], role: row["role"],
                joinedAt: UnixTime(nanoseconds: row["first"]),
                leftAt: since != nil
                    ? nil : (row["ended"] as Int64?).map { UnixTime(nanoseconds: $0) },
                presentSince: since, present: .nanoseconds(row["present"] as Int64))
        }
    }
}

extension OpenSession.Attendee {
    fileprivate init(_ row: Row) {
        self.init(
            number: row["number"], peer: PeerID(row["peer"]), user: row["user"],
            name: row["name"], data: row["data"], role: row["role"],
            joinedAt: UnixTime(nanoseconds: row["joined"]))
    }
}

extension SessionChange {
    /// - Returns: whether anything was changed.
    fileprivate func write(to database: Database) throws -> Bool {
        switch self {
        case .opened(let session):
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO session
                    (id, room, roomName, template, created, updated, ended)
                    VALUES (?, ?, ?, ?, ?, ?, NULL)
                    """,
                arguments: [
                    session.id.rawValue, session.room.rawValue, session.roomName,
                    session.template, session.startedAt.nanoseconds, session.startedAt.nanoseconds,
                ])
            return database.changesCount > 0
        case .entered(let attendee, let session):
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO stay
                    (session, number, peer, user, name, data, role, joined, ended)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)
                    """,
                arguments: [
                    session.rawValue, attendee.number, attendee.peer.rawValue, attendee.user,
                    attendee.name, attendee.data, attendee.role, attendee.joinedAt.nanoseconds,
                ])
            return try touched(session, at: attendee.joinedAt, in: database)
        case .tookRole(let role, let number, let session):
            try database.execute(
                sql: """
                    UPDATE stay SET role = ?
                    WHERE session = ? AND number = ? AND role <> ? AND ended IS NULL
                    """, arguments: [role, session.rawValue, number, role])
            return database.changesCount > 0
        case .left(let number, let session, let time):
            // Past the maximum a stay is of use only while it lasts.
            try database.execute(
                sql: number > Catalogue.staysMaximum
                    ? "DELETE FROM stay WHERE session = ? AND number = ? AND ended IS NULL"
                    : "UPDATE stay SET ended = ? WHERE session = ? AND number = ? AND ended IS NULL",
                arguments: number > Catalogue.staysMaximum
                    ? [session.rawValue, number] : [time.nanoseconds, session.rawValue, number])
            return try touched(session, at: time, in: database)
        case .closed(let session, let time):
            try database.execute(
                sql: "UPDATE stay SET ended = ? WHERE session = ? AND ended IS NULL",
                arguments: [time.nanoseconds, session.rawValue])
            try database.execute(
                sql: "UPDATE session SET ended = ?, updated = ? WHERE id = ? AND ended IS NULL",
                arguments: [time.nanoseconds, time.nanoseconds, session.rawValue])
            return database.changesCount > 0
        }
    }

    private func touched(
        _ session: SessionID, at time: UnixTime, in database: Database
    ) throws -> Bool {
        guard database.changesCount > 0 else { return false }
        try database.execute(
            sql: "UPDATE session SET updated = max(updated, ?) WHERE id = ?",
            arguments: [time.nanoseconds, session.rawValue])
        return true
    }
}
