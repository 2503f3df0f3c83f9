import GRDB

/// The SQLite index of streams, assets of recordings, webhook deliveries and rooms.
///
/// For media the directories are the source of truth, and the catalogue can be rebuilt from them.
/// For rooms and sent events the catalogue is the source of truth: a stream's final row and its
/// webhook event are written in one transaction. Readers and the writer do not wait for each other
/// (write-ahead log).
public final class Catalogue: Sendable {
    /// How long another process (`roomcast reindex`) may hold the database.
    static let busySeconds = 5.0
    let pool: DatabasePool
    /// The database and SQLite's files beside it. Each commit goes into the second.
    public let files: [HeldFile]

    /// Opens or creates the database and migrates it to this version's schema.
    ///
    /// - Throws: `.superseded`, `.damaged` and the others.
    /// - Parameter path: the path of the file; its directory exists.
    public init(path: String) throws(CatalogueError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Self.busySeconds)
            // A power failure may lose the latest commits but never the file; the death of the
            // process loses nothing. sqlite.org/pragma.html#pragma_synchronous
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            guard try !pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) else {
                throw CatalogueError.superseded
            }
            try Schema.migrator.migrate(pool)
            // A reader that knows the old schema would not see new columns. The first of the others is
            // opened while the file is surely there.
            pool.invalidateReadOnlyConnections()
            _ = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
            files = ["", "-wal", "-shm"].compactMap { HeldFile(path + $0) }
        } catch {
            throw CatalogueError(error)
        }
    }

    /// Checks that the files are still in place, so that written data can be found again.
    ///
    /// - Throws: `.lost`.
    public func checkPresence() throws(CatalogueError) {
        for file in files {
            if let loss = file.loss { throw .lost(loss) }
        }
    }

    /// Checks writability by a write that changes nothing.
    public func checkWritable() async throws(CatalogueError) {
        try await write { database in
            // An application-defined number in the file's header, otherwise unused.
            let number = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(number)")
        }
    }

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do {
            // On the writer's own thread, so that a hanging disk holds up nobody else.
            return try await pool.write { database in
                try self.checkPresence()
                return try body(database)
            }
        } catch {
            throw CatalogueError(error)
        }
    }

    func read<Value: Sendable>(
        _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw CatalogueError(error)
        }
    }
}

extension CatalogueError {
    init(_ error: any Error) {
        if let error = error as? CatalogueError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed("\(error)")
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(error.message ?? "")
        default: self = .failed(error.message ?? "\(error.resultCode)")
        }
    }
}
