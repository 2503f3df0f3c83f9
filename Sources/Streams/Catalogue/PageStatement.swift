import GRDB
import MediaKernel
import Streams

/// The SQL of a page: at most one index is walked, from the page's start.
struct PageStatement {
    let sql: String
    let arguments: StatementArguments
    private let limit: Int

    /// - Parameters:
    ///   - order: columns by which the latest comes first.
    ///   - filters: columns with the values that they must have; nil for any.
    ///   - exact: a column with the value that it must have, or else nil where it must have none.
    ///   - isRecorded: whether only streams with assets are wanted.
    ///   - kind: of which streams are wanted; nil for any.
    ///   - isEnded: whether what is wanted is over; nil for any.
    ///   - created: between which times, both included; nil for no such bound.
    ///   - start: the record that ended the page before. One that is not there gives an empty page.
    init(
        table: String, order: [String] = ["created", "id"],
        filters: [(column: String, value: (any DatabaseValueConvertible)?)],
        exact: (column: String, value: (any DatabaseValueConvertible)?)? = nil,
        isRecorded: Bool = false, kind: LiveStream.Kind? = nil, isEnded: Bool? = nil,
        created: (from: UnixTime?, to: UnixTime?) = (nil, nil), start: String?, limit: Int
    ) {
        var conditions = isRecorded ? ["assetDirectory IS NOT NULL"] : []
        // Spelled out, as the condition of an index is: of an argument SQLite knows nothing.
        if let kind { conditions.append("kind = '\(kind.rawValue)'") }
        if let isEnded { conditions.append(isEnded ? "ended IS NOT NULL" : "ended IS NULL") }
        var arguments = StatementArguments()
        for (column, value) in filters {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            arguments += [value]
        }
        if let exact {
            // To `=` nothing is equal that has no value.
            conditions.append("\(exact.column) IS ?")
            arguments += [exact.value]
        }
        for (bound, time) in [(">=", created.from), ("<=", created.to)] {
            guard let time else { continue }
            conditions.append("created \(bound) ?")
            arguments += [time.nanoseconds]
        }
        if let start {
            let columns = order.joined(separator: ", ")
            conditions.append("(\(columns)) < (SELECT \(columns) FROM \(table) WHERE id = ?)")
            arguments += [start]
        }
        let clause = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        // One more than asked for tells whether this is the last page.
        let falling = order.map { "\($0) DESC" }.joined(separator: ", ")
        sql = "SELECT * FROM \(table) \(clause) ORDER BY \(falling) LIMIT \(limit + 1)"
        self.arguments = arguments
        self.limit = limit
    }

    /// - Parameter id: what names the record that ends the page.
    func page<Record: CatalogueRecord>(
        in database: Database, id: (Record) -> String
    ) throws -> CataloguePage<Record> {
        let found = try Record.fetchAll(database, sql: sql, arguments: arguments)
        return CataloguePage(found: found, limit: limit, id: id)
    }
}

extension PageStatement {
    init(_ query: CatalogueQuery<CatalogueAsset.Status>) {
        self.init(
            table: "asset",
            filters: [
                ("room", query.room?.rawValue), ("session", query.session?.rawValue),
                ("stream", query.stream?.rawValue), ("status", query.status?.rawValue),
            ], start: query.start, limit: query.limit)
    }
}
