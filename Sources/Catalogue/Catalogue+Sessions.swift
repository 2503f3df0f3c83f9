import GRDB
import MediaKernel

/// The sessions that go on, and nothing of those that are over: so a row that is there when a
/// server starts is a session that it has to close.
extension Catalogue {
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
            let attendees = Dictionary(
                grouping: try Row.fetchAll(
                    database, sql: "SELECT * FROM attendee ORDER BY session, number"),
                by: { $0["session"] as String }
            ).mapValues { $0.map { OpenSession.Attendee($0) } }
            return try Row.fetchAll(
                database, sql: "SELECT * FROM openSession ORDER BY started, id"
            ).map { row in
                OpenSession(
                    id: SessionID(row["id"]), room: RoomID(row["room"]),
                    roomName: row["roomName"], template: row["template"],
                    startedAt: UnixTime(nanoseconds: row["started"]),
                    attendees: attendees[row["id"]] ?? [])
            }
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
                    INSERT OR IGNORE INTO openSession (id, room, roomName, template, started)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    session.id.rawValue, session.room.rawValue, session.roomName,
                    session.template, session.startedAt.nanoseconds,
                ])
        case .entered(let attendee, let session):
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO attendee
                    (session, number, peer, user, name, data, role, joined)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    session.rawValue, attendee.number, attendee.peer.rawValue, attendee.user,
                    attendee.name, attendee.data, attendee.role, attendee.joinedAt.nanoseconds,
                ])
        case .tookRole(let role, let number, let session):
            try database.execute(
                sql: """
                    UPDATE attendee SET role = ? WHERE session = ? AND number = ? AND role <> ?
                    """, arguments: [role, session.rawValue, number, role])
        case .left(let number, let session):
            try database.execute(
                sql: "DELETE FROM attendee WHERE session = ? AND number = ?",
                arguments: [session.rawValue, number])
        case .closed(let session):
            try database.execute(
                sql: "DELETE FROM attendee WHERE session = ?", arguments: [session.rawValue])
            try database.execute(
                sql: "DELETE FROM openSession WHERE id = ?", arguments: [session.rawValue])
        }
        return database.changesCount > 0
    }
}
