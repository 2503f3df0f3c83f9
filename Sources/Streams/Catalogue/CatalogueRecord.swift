import Foundation
import GRDB
import MediaKernel

/// A record of a table: reads and writes the columns of a row.
///
/// ``Stored`` wraps it for GRDB, so that GRDB stays private to this module.
protocol CatalogueRecord: Sendable {
    static var table: String { get }
    /// - Throws: `CatalogueError.unknownValue`.
    init(_ row: RowReader) throws
    func write(to row: inout PersistenceContainer) throws
}

extension CatalogueRecord {
    /// - Parameter key: the primary key.
    static func find(_ key: String, in database: Database) throws -> Self? {
        try Stored<Self>.fetchOne(database, key: key)?.value
    }

    static func fetchOne(
        _ database: Database, sql: String, arguments: StatementArguments = []
    ) throws -> Self? {
        try Stored<Self>.fetchOne(database, sql: sql, arguments: arguments)?.value
    }

    static func fetchAll(
        _ database: Database, sql: String, arguments: StatementArguments = []
    ) throws -> [Self] {
        try Stored<Self>.fetchAll(database, sql: sql, arguments: arguments).map(\.value)
    }

    /// - Parameter conflict: how to treat an existing record with the same key.
    /// - Returns: whether anything changed.
    @discardableResult
    func insert(
        into database: Database, onConflict conflict: Database.ConflictResolution
    ) throws -> Bool {
        try Stored(value: self).insert(database, onConflict: conflict)
        return database.changesCount > 0
    }

    /// Inserts the record, or updates the existing one with the same key.
    func upsert(into database: Database) throws { try Stored(value: self).upsert(database) }
}

private struct Stored<Value: CatalogueRecord>: FetchableRecord, PersistableRecord {
    static var databaseTableName: String { Value.table }

    let value: Value

    init(value: Value) { self.value = value }

    init(row: Row) throws { value = try Value(RowReader(row)) }

    func encode(to container: inout PersistenceContainer) throws {
        try value.write(to: &container)
    }
}

/// The columns of a row. An invalid value is an error that names the row's id.
struct RowReader {
    private let row: Row

    init(_ row: Row) { self.row = row }

    /// - Throws: `CatalogueError.unknownValue`, as do all functions below.
    func callAsFunction<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        do {
            return try row.decode(forColumn: column)
        } catch {
            throw unknownValue(in: column)
        }
    }

    func id<Tag>(_ column: String) throws -> Identifier<Tag> { Identifier(try self(column)) }

    func id<Tag>(_ column: String) throws -> Identifier<Tag>? {
        let text: String? = try self(column)
        return text.map { Identifier($0) }
    }

    func time(_ column: String) throws -> UnixTime {
        UnixTime(nanoseconds: try self(column))
    }

    func time(_ column: String) throws -> UnixTime? {
        let nanoseconds: Int64? = try self(column)
        return nanoseconds.map { UnixTime(nanoseconds: $0) }
    }

    func choice<Choice: RawRepresentable<String>>(_ column: String) throws -> Choice {
        guard let choice = Choice(rawValue: try self(column)) else {
            throw unknownValue(in: column)
        }
        return choice
    }

    /// Decodes a column of our own JSON.
    func document<Document: Decodable>(_ column: String) throws -> Document? {
        guard let text: String = try self(column) else { return nil }
        do {
            return try JSONDocument.decode(Document.self, from: text.utf8, limits: .own)
        } catch {
            throw unknownValue(in: column)
        }
    }

    func unknownValue(in column: String) -> CatalogueError {
        let id = row["id"] as String? ?? row["asset"] as String? ?? row["session"] as String?
        let value = row[column].map { "\($0)" } ?? "NULL"
        return .unknownValue(row: id ?? "", column: column, value: String(value.prefix(64)))
    }
}

extension PersistenceContainer {
    /// Stores the document as JSON.
    mutating func set(_ document: (some Encodable)?, in column: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self[column] = try document.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    }
}
