import Foundation
import GRDB
public import MediaKernel

extension Catalogue {
    /// Adds a single event to the outbox. An event with a known id, or a second terminal event of a
    /// line, changes nothing.
    ///
    /// - Returns: false if there is no space for it.
    @discardableResult
    public func save(_ delivery: CatalogueDelivery) async throws(CatalogueError) -> Bool {
        try await write { try delivery.insert(into: $0) }
    }

    /// The most deliveries of one line, so that a long stuck line leaves space for the others.
    static let pendingOfLineMaximum = 20

    /// The pending deliveries: the first few of each line, in insertion order. Lines whose first
    /// delivery is due earlier come first.
    public func pendingDeliveries(limit: Int) async throws(CatalogueError) -> [CatalogueDelivery] {
        // The query steps from line to line by the index, so its cost does not depend on their
        // lengths.
        try await read { database in
            try CatalogueDelivery.fetchAll(
                database,
                sql: """
                    WITH RECURSIVE pendingLine (name) AS (
                        SELECT min(line) FROM delivery INDEXED BY deliveryPending
                        WHERE status = 'pending'
                        UNION ALL
                        SELECT (
                            SELECT min(line) FROM delivery INDEXED BY deliveryPending
                            WHERE status = 'pending' AND line > name)
                        FROM pendingLine WHERE name IS NOT NULL),
                    head (name, due) AS (
                        SELECT name, (
                            SELECT due FROM delivery INDEXED BY deliveryPending
                            WHERE status = 'pending' AND line = name ORDER BY number LIMIT 1) due
                        FROM pendingLine WHERE name IS NOT NULL ORDER BY due LIMIT :limit)
                    SELECT delivery.* FROM head JOIN delivery ON number IN (
                        SELECT number FROM delivery INDEXED BY deliveryPending
                        WHERE status = 'pending' AND line = name ORDER BY number LIMIT :ofLine)
                    ORDER BY head.due, number LIMIT :limit
                    """, arguments: ["limit": limit, "ofLine": Self.pendingOfLineMaximum])
        }
    }

    /// Removes deliveries that ended by that time.
    ///
    /// - Returns: the number removed; if it equals `limit`, there may be more.
    public func removeDeliveries(
        endedUntil time: UnixTime, limit: Int
    ) async throws(CatalogueError) -> Int {
        try await write { database in
            try database.execute(
                sql: """
                    DELETE FROM delivery WHERE number IN (
                        SELECT number FROM delivery INDEXED BY deliveryPast
                        WHERE status IN ('delivered', 'failed') AND due <= ? LIMIT ?)
                    """, arguments: [time.nanoseconds, limit])
            return database.changesCount
        }
    }

    /// Past and pending deliveries, the latest first.
    public func deliveries(
        _ query: DeliveryQuery
    ) async throws(CatalogueError) -> CataloguePage<CatalogueDelivery> {
        try await read { database in
            let statement = PageStatement(
                table: "delivery", order: ["number"],
                filters: [
                    ("room", query.room?.rawValue), ("line", query.line),
                    ("status", query.status?.rawValue),
                ], start: query.start, limit: query.limit)
            return try statement.page(in: database, id: \.id)
        }
    }

    /// A page of a room's events, the latest first, and their total number.
    public func events(
        _ query: EventQuery
    ) async throws(CatalogueError) -> (page: CataloguePage<CatalogueDelivery>, total: Int) {
        try await read { database in
            var conditions = ["room = ?", "status <> 'held'", "receiver IS NULL"]
            var arguments: StatementArguments = [query.room.rawValue]
            if !query.kinds.isEmpty {
                let marks = query.kinds.map { _ in "?" }.joined(separator: ", ")
                conditions.append("kind IN (\(marks))")
                arguments += StatementArguments(query.kinds)
            }
            for (name, value) in query.fields.sorted(by: { $0.key < $1.key }) {
                conditions.append("json_extract(CAST(body AS TEXT), ?) = ?")
                arguments += ["$.data.\(name)", value]
            }
            let clause = conditions.joined(separator: " AND ")
            let total = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM delivery WHERE \(clause)",
                arguments: arguments)
            var bound = ""
            if let start = query.start {
                bound = "AND number < (SELECT number FROM delivery WHERE id = ?)"
                arguments += [start]
            }
            let found = try CatalogueDelivery.fetchAll(
                database,
                sql: """
                    SELECT * FROM delivery WHERE \(clause) \(bound)
                    ORDER BY number DESC LIMIT \(query.limit + 1)
                    """, arguments: arguments)
            return (CataloguePage(found: found, limit: query.limit, id: \.id), total ?? 0)
        }
    }

    public func delivery(_ id: String) async throws(CatalogueError) -> CatalogueDelivery? {
        try await read { database in
            try CatalogueDelivery.fetchOne(
                database, sql: "SELECT * FROM delivery WHERE id = ?", arguments: [id])
        }
    }

    /// Saves the result of an attempt. Deliveries that have ended do not change. Of one that ends
    /// now, only what has to be kept remains.
    ///
    /// - Parameter attempts: the number of failed attempts; nil to keep the saved number.
    public func update(
        delivery id: String, status: CatalogueDelivery.Status, attempts: Int? = nil, dueAt: UnixTime
    ) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = ?, attempts = coalesce(?, attempts), due = ?
                    WHERE id = ? AND status = 'pending'
                    """, arguments: [status.rawValue, attempts, dueAt.nanoseconds, id])
            guard status != .pending, database.changesCount > 0 else { return }
            typealias Keeping = CatalogueDelivery.Keeping
            try database.execute(
                sql: "DELETE FROM delivery WHERE id = ? AND keeping < ?",
                arguments: [id, Keeping.identity.rawValue])
            try database.execute(
                sql: "UPDATE delivery SET body = x'' WHERE id = ? AND keeping = ?",
                arguments: [id, Keeping.identity.rawValue])
        }
    }

    /// Sends an ended delivery again, after all pending ones.
    ///
    /// - Parameter body: nil to keep the old body.
    /// - Returns: false if there is no such delivery, or it is pending or held, or only its id was
    ///   kept.
    public func replay(
        delivery id: String, body: [UInt8]? = nil, at now: UnixTime
    ) async throws(CatalogueError) -> Bool {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = 'pending', attempts = 0,
                    body = coalesce(?, body), due = ?, created = ?
                    WHERE id = ? AND status NOT IN ('pending', 'held') AND keeping = ?
                    """,
                arguments: [
                    body.map { Data($0) }, now.nanoseconds, now.nanoseconds, id,
                    CatalogueDelivery.Keeping.history.rawValue,
                ])
            return database.changesCount > 0
        }
    }

    // MARK: Held

    /// A delivery that waits for a store, with the facts to report.
    public struct HeldDelivery: Sendable {
        public var id: String
        public var kind: String
        /// Nil if the catalogue no longer has the stream.
        public var stream: CatalogueStream?
        public var assets: [CatalogueAsset]
    }

    /// Held deliveries whose assets are by now all in a store, or no longer completed.
    public func releasableDeliveries(
        limit: Int = 100
    ) async throws(CatalogueError) -> [HeldDelivery] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, kind, line FROM delivery WHERE status = 'held' AND NOT EXISTS (
                        SELECT 1 FROM asset WHERE stream = delivery.line
                        AND status = 'completed' AND location IS NULL AND bytes > 0)
                    ORDER BY number LIMIT ?
                    """, arguments: [limit])
            return try rows.map { row in
                let line: String = row["line"]
                return HeldDelivery(
                    id: row["id"], kind: row["kind"],
                    stream: try CatalogueStream.find(line, in: database),
                    assets: try CatalogueAsset.fetchAll(
                        database, sql: "SELECT * FROM asset WHERE stream = ? ORDER BY id",
                        arguments: [line]))
            }
        }
    }

    /// Releases a held delivery. Others do not change, so each is sent only once.
    ///
    /// - Parameter body: nil to keep the old body.
    public func release(
        delivery id: String, body: [UInt8]?, at now: UnixTime
    ) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = 'pending', body = coalesce(?, body), created = ?,
                    due = ? WHERE id = ? AND status = 'held'
                    """,
                arguments: [body.map { Data($0) }, now.nanoseconds, now.nanoseconds, id])
        }
    }

    /// Removes a held delivery that has nothing left to report.
    public func removeHeldDelivery(_ id: String) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM delivery WHERE id = ? AND status = 'held'", arguments: [id])
        }
    }

    /// Releases all held deliveries unchanged, since there is no store any more.
    public func releaseDeliveries(at now: UnixTime) async throws(CatalogueError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET status = 'pending', created = ?, due = ?
                    WHERE status = 'held'
                    """, arguments: [now.nanoseconds, now.nanoseconds])
        }
    }
}

/// SQLite assigns the row number, which determines the order.
extension CatalogueDelivery: CatalogueRecord {
    static let table = "delivery"

    init(_ row: RowReader) throws {
        let body: Data = try row("body")
        self.init(
            id: try row("id"), line: try row("line"), room: try row.id("room"),
            kind: try row("kind"), isTerminal: try row("terminal"), body: Array(body),
            createdAt: try row.time("created"))
        receiver = try row("receiver")
        guard let kept = Keeping(rawValue: try row("keeping")) else {
            throw row.unknownValue(in: "keeping")
        }
        keeping = kept
        status = try row.choice("status")
        attempts = try row("attempts")
        dueAt = try row.time("due")
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = id
        row["line"] = line
        row["room"] = room.rawValue
        row["kind"] = kind
        row["terminal"] = isTerminal
        row["body"] = Data(body)
        row["receiver"] = receiver
        row["keeping"] = keeping.rawValue
        row["created"] = createdAt.nanoseconds
        row["status"] = status.rawValue
        row["attempts"] = attempts
        row["due"] = dueAt.nanoseconds
    }

    /// An existing delivery stays unchanged, and each line has at most one terminal event.
    ///
    /// - Returns: false if there is no space for it.
    @discardableResult
    func insert(into database: Database) throws -> Bool {
        guard try findsSpace(in: database) else { return false }
        try insert(into: database, onConflict: .ignore)
        return true
    }

    /// Whether the backlog of its room has space, for which the newest of the least events are
    /// removed: those that came first are the next that the receiver takes.
    private func findsSpace(in database: Database) throws -> Bool {
        guard let receiver, keeping != .history else { return true }
        let bytes =
            try Int.fetchOne(
                database, sql: "SELECT bytes FROM backlog WHERE receiver = ? AND room = ?",
                arguments: [receiver, room.rawValue]) ?? 0
        var excess = bytes + body.count + Self.rowBytes - Self.backlogMaximum
        guard excess > 0 else { return true }
        // What is known already takes no more.
        let isKnown = try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE id = ?)", arguments: [id])
        guard isKnown == false else { return true }
        var removed: [Int64] = []
        let lesser = try Row.fetchCursor(
            database,
            sql: """
                SELECT number, length(body) FROM delivery INDEXED BY deliveryBacklog
                WHERE receiver = ? AND room = ? AND status = 'pending' AND keeping < ?
                ORDER BY keeping, number DESC
                """, arguments: [receiver, room.rawValue, keeping.rawValue])
        while excess > 0, let row = try lesser.next() {
            removed.append(row[0])
            excess -= (row[1] as Int) + Self.rowBytes
        }
        guard excess <= 0 else { return false }
        for number in removed {
            try database.execute(
                sql: "DELETE FROM delivery WHERE number = ?", arguments: [number])
        }
        return true
    }
}
