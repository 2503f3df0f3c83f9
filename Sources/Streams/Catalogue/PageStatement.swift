import GRDB
import MediaKernel
import Streams

/// The SQL of a page. The query walks at most one index, from the page's start.
struct PageStatement {
    let sql: String
    let arguments: StatementArguments
    private let limit: Int

    /// A condition in SQL of its own.
    struct Condition {
        let sql: String
        let arguments: StatementArguments

        init(_ sql: String, _ arguments: StatementArguments = []) {
            self.sql = sql
            self.arguments = arguments
        }
    }

    /// - Parameters:
    ///   - order: the columns to sort by, latest first.
    ///   - filters: columns with required values; nil for any value.
    ///   - exact: a column with a required value; nil requires NULL.
    ///   - isRecorded: whether to list only streams with assets.
    ///   - isPushed: whether to list only streams with outputs.
    ///   - kind: the required kind of stream; nil for any.
    ///   - isEnded: whether to list only finished or only unfinished records; nil for both.
    ///   - created: the range of creation times, both ends included; nil for no bound.
    ///   - further: conditions beside those; they are checked row by row.
    ///   - start: the last record of the previous page. An unknown one results in an empty page.
    init(
        table: String, order: [String] = ["created", "id"],
        filters: [(column: String, value: (any DatabaseValueConvertible)?)],
        exact: (column: String, value: (any DatabaseValueConvertible)?)? = nil,
        isRecorded: Bool = false, isPushed: Bool = false, kind: LiveStream.Kind? = nil,
        isEnded: Bool? = nil,
        created: (from: UnixTime?, to: UnixTime?) = (nil, nil), further: [Condition] = [],
        start: String?, limit: Int
    ) {
        var conditions = isRecorded ? ["assetDirectory IS NOT NULL"] : []
        if isPushed { conditions.append("json_extract(details, '$.last_output') > 0") }
        // Literal, as in the condition of the index: SQLite does not match an argument to it.
        if let kind { conditions.append("kind = '\(kind.rawValue)'") }
        if let isEnded { conditions.append(isEnded ? "ended IS NOT NULL" : "ended IS NULL") }
        var arguments = StatementArguments()
        for (column, value) in filters {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            arguments += [value]
        }
        if let exact {
            // `=` never matches NULL.
            conditions.append("\(exact.column) IS ?")
            arguments += [exact.value]
        }
        for (bound, time) in [(">=", created.from), ("<=", created.to)] {
            guard let time else { continue }
            conditions.append("created \(bound) ?")
            arguments += [time.nanoseconds]
        }
        for condition in further {
            conditions.append(condition.sql)
            arguments += condition.arguments
        }
        if let start {
            let columns = order.joined(separator: ", ")
            conditions.append("(\(columns)) < (SELECT \(columns) FROM \(table) WHERE id = ?)")
            arguments += [start]
        }
        let clause = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        // One extra record tells whether this is the last page.
        let falling = order.map { "\($0) DESC" }.joined(separator: ", ")
        sql = "SELECT * FROM \(table) \(clause) ORDER BY \(falling) LIMIT \(limit + 1)"
        self.arguments = arguments
        self.limit = limit
    }

    /// - Parameter id: returns the id of the record that ends the page.
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
