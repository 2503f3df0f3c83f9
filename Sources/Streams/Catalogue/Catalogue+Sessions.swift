import GRDB
public import MediaKernel

/// The sessions of rooms. A session without an end at the server's start was left behind by an
/// earlier server, and has to be closed.
extension Catalogue {
    /// The most finished stays to keep of a session. Later ones are removed when they end.
    static let staysMaximum = 10_000

    /// Saves a change and its event in one transaction. If the change was already saved, nothing
    /// changes and the event is not sent again.
    public func save(
        _ change: SessionChange, telling delivery: CatalogueDelivery? = nil
    ) async throws(CatalogueError) {
        try await write { database in
            guard try change.write(to: database) else { return }
            try delivery?.insert(into: database)
        }
    }

    /// Oldest first, with the present attendees.
    public func openSessions() async throws(CatalogueError) -> [OpenSession] {
        try await read { database in
            try CatalogueSession.fetchAll(
                database, sql: "SELECT * FROM session WHERE ended IS NULL ORDER BY created, id"
            ).map { session in
                let stays = try Stay.fetchAll(
                    database,
                    sql: "SELECT * FROM stay WHERE session = ? AND ended IS NULL ORDER BY number",
                    arguments: [session.id.rawValue])
                return OpenSession(
                    id: session.id, room: session.room, roomName: session.roomName,
                    template: session.template, startedAt: session.createdAt,
                    attendees: stays.map(\.attendee))
            }
        }
    }

    /// Newest first, with the attendees.
    public func sessions(
        _ query: SessionQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueSession> {
        try await read { database in
            let statement = PageStatement(
                table: "session", filters: [("room", query.room?.rawValue)],
                isEnded: query.isActive.map { !$0 }, created: (query.from, query.to),
                start: query.start, limit: query.limit)
            var page: CataloguePage<CatalogueSession> = try statement.page(
                in: database, id: \.id.rawValue)
            for index in page.records.indices {
                try page.records[index].fill(from: database, maximum: query.attendancesMaximum)
            }
            return page
        }
    }

    /// - Parameter attendancesMaximum: further attendances are left out.
    public func session(
        _ id: SessionID, attendancesMaximum: Int
    ) async throws(CatalogueError) -> CatalogueSession? {
        try await read { database in
            guard var session = try CatalogueSession.find(id.rawValue, in: database) else {
                return nil
            }
            try session.fill(from: database, maximum: attendancesMaximum)
            return session
        }
    }

    /// Removes sessions that ended by that time.
    ///
    /// - Returns: the number removed; if it equals `limit`, there may be more.
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

/// Excludes the attendances.
extension CatalogueSession: CatalogueRecord {
    static let table = "session"

    init(_ row: RowReader) throws {
        self.init(
            id: try row.id("id"), room: try row.id("room"), roomName: try row("roomName"),
            template: try row("template"), createdAt: try row.time("created"),
            updatedAt: try row.time("updated"), endedAt: try row.time("ended"))
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = id.rawValue
        row["room"] = room.rawValue
        row["roomName"] = roomName
        row["template"] = template
        row["created"] = createdAt.nanoseconds
        row["updated"] = updatedAt.nanoseconds
        row["ended"] = endedAt?.nanoseconds
    }

    /// A peer may join several times; each peer counts once.
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

/// The time from a peer's join to its leave.
private struct Stay: CatalogueRecord {
    static let table = "stay"

    var session: SessionID
    var attendee: OpenSession.Attendee

    init(_ attendee: OpenSession.Attendee, in session: SessionID) {
        self.session = session
        self.attendee = attendee
    }

    init(_ row: RowReader) throws {
        session = try row.id("session")
        attendee = OpenSession.Attendee(
            number: try row("number"), peer: try row.id("peer"), user: try row("user"),
            name: try row("name"), data: try row("data"), role: try row("role"),
            joinedAt: try row.time("joined"))
    }

    func write(to row: inout PersistenceContainer) {
        row["session"] = session.rawValue
        row["number"] = attendee.number
        row["peer"] = attendee.peer.rawValue
        row["user"] = attendee.user
        row["name"] = attendee.name
        row["data"] = attendee.data
        row["role"] = attendee.role
        row["joined"] = attendee.joinedAt.nanoseconds
    }
}

extension SessionChange {
    /// - Returns: whether anything changed.
    fileprivate func write(to database: Database) throws -> Bool {
        switch self {
        case .opened(let session):
            let row = CatalogueSession(
                id: session.id, room: session.room, roomName: session.roomName,
                template: session.template, createdAt: session.startedAt,
                updatedAt: session.startedAt)
            return try row.insert(into: database, onConflict: .ignore)
        case .entered(let attendee, let session):
            try Stay(attendee, in: session).insert(into: database, onConflict: .ignore)
            return try touched(session, at: attendee.joinedAt, in: database)
        case .tookRole(let role, let number, let session):
            try database.execute(
                sql: """
                    UPDATE stay SET role = ?
                    WHERE session = ? AND number = ? AND role <> ? AND ended IS NULL
                    """, arguments: [role, session.rawValue, number, role])
            return database.changesCount > 0
        case .left(let number, let session, let time):
            // Beyond the maximum, a stay is kept only while it lasts.
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
