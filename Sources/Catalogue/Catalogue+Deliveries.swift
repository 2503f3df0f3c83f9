import Foundation
import GRDB
public import MediaKernel

extension Catalogue {
    /// Puts an event of its own into the outbox. One with the same id, or a second terminal event
    /// of a line, changes nothing.
    public func save(_ delivery: CatalogueDelivery) async throws(CatalogueError) {
        try await write { try delivery.insert(into: $0) }
    }

    /// What has not reached its end, in the order in which it was put in.
    public func pendingDeliveries(limit: Int) async throws(CatalogueError) -> [CatalogueDelivery] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM delivery WHERE status = 'pending' ORDER BY number LIMIT ?",
                arguments: [limit]
            ).map { CatalogueDelivery($0) }
        }
    }

    /// What was told and what is to be, the latest first.
    public func deliveries(
        _ query: DeliveryQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueDelivery> {
        try await read { database in
            var conditions: [String] = []
            var arguments = StatementArguments()
            for (column, value) in [
                ("room", query.room?.rawValue), ("line", query.line),
                ("status", query.status?.rawValue),
            ] {
                guard let value else { continue }
                conditions.append("\(column) = ?")
                arguments += [value]
            }
            if let start = query.start {
                conditions.append("number < (SELECT number FROM delivery WHERE id = ?)")
                arguments += [start]
            }
            let clause =
                conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
            let order = "ORDER BY number DESC LIMIT \(query.limit + 1)"
            let found = try Row.fetchAll(
                database, sql: "SELECT * FROM delivery \(clause) \(order)", arguments: arguments
            ).map { CatalogueDelivery($0) }
            return CataloguePage(found: found, limit: query.limit) { $0.id }
        }
    }

    public func delivery(_ id: String) async throws(CatalogueError) -> CatalogueDelivery? {
        try await read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM delivery WHERE id = ?", arguments: [id]
            ).map { CatalogueDelivery($0) }
        }
    }

    /// Writes down how an attempt went. What reached its end stays there.
    ///
    /// - Parameter attempts: that failed; nil for as many as were written down.
    public func update(
        delivery id: String, status: CatalogueDelivery.Status, attempts: Int? = nil, dueAt: UnixTime
    ) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = ?, attempts = coalesce(?, attempts), due = ?
                    WHERE id = ? AND status = 'pending'
                    """, arguments: [status.rawValue, attempts, dueAt.nanoseconds, id])
        }
    }

    /// Lets an event that reached its end be told once more, behind all that is pending.
    ///
    /// - Returns: false when there is no such event or it is pending or held.
    public func replay(
        delivery id: String, at now: UnixTime
    ) async throws(CatalogueError) -> Bool {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = 'pending', attempts = 0, due = ?, created = ?
                    WHERE id = ? AND status NOT IN ('pending', 'held')
                    """, arguments: [now.nanoseconds, now.nanoseconds, id])
            return database.changesCount > 0
        }
    }
}

extension CatalogueDelivery {
    init(_ row: Row) {
        self.init(
            id: row["id"], line: row["line"], room: RoomID(row["room"]), kind: row["kind"],
            isTerminal: row["terminal"], body: Array(row["body"] as Data),
            createdAt: UnixTime(nanoseconds: row["created"]))
        status = Status(rawValue: row["status"]) ?? .failed
        attempts = row["attempts"]
        dueAt = UnixTime(nanoseconds: row["due"])
    }

    func insert(into database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO delivery
                (id, line, room, kind, terminal, body, created, status, attempts, due)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, line, room.rawValue, kind, isTerminal, Data(body), createdAt.nanoseconds,
                status.rawValue, attempts, dueAt.nanoseconds,
            ])
    }
}
