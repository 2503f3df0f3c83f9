import GRDB

/// The index of streams, recordings' assets and webhook deliveries, and the rooms, in SQLite.
///
/// It is never the truth about media: the directories are, and it can be made anew from them. It is
/// the truth about rooms, and about what was told: a stream's final row and the webhook about it are
/// written in one transaction. Readers and the writer do not wait for each other (write-ahead log).
public final class Catalogue: Sendable {
    /// Another process (`roomcast reindex`) may hold the database for so long.
    static let busySeconds = 5.0
    private let pool: DatabasePool
    /// The database and what SQLite has beside it. Each commit goes into the second.
    public let files: [HeldFile]

    /// Opens or makes the database and brings it to this version's form.
    ///
    /// - Throws: `.superseded`, `.damaged` and the others.
    /// - Parameter path: of the file; its directory exists.
    public init(path: String) throws(CatalogueError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Self.busySeconds)
            // A power failure may cost the latest commits but never the file; with a process'
            // death nothing is lost. sqlite.org/pragma.html#pragma_synchronous
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            guard try !pool.read({ try Schema.migrator.hasBeenSuperseded($0) }) else {
                throw CatalogueError.superseded
            }
            try Schema.migrator.migrate(pool)
            files = ["", "-wal", "-shm"].compactMap { HeldFile(path + $0) }
        } catch {
            throw CatalogueError(error)
        }
    }

    /// Checks that what is written would be found again.
    ///
    /// - Throws: `.lost`.
    public func checkPresence() throws(CatalogueError) {
        for file in files {
            if let loss = file.loss { throw .lost(loss) }
        }
    }

    /// Writes what changes nothing, to see whether it could be changed.
    public func checkWritable() async throws(CatalogueError) {
        try await write { database in
            // The application's own number in the file's header, which is not used.
            let number = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(number)")
        }
    }

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do {
            // On the writer's own thread: a path whose disk hangs holds up nobody else.
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
