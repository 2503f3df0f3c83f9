import GRDB
public import MediaKernel

/// The templates of room policies. As for rooms, the catalogue is the source of truth.
extension Catalogue {
    public func template(_ id: String) async throws(CatalogueError) -> CatalogueTemplate? {
        try await read { try CatalogueTemplate.find(id, in: $0) }
    }

    /// - Parameters:
    ///   - start: the last id of the previous page.
    ///   - limit: as for rooms.
    public func templates(
        start: String?, limit: Int
    ) async throws(CatalogueError) -> CataloguePage<CatalogueTemplate> {
        try await read { database in
            try PageStatement(
                table: "template", filters: [], start: start, limit: PageLimit.clamped(limit)
            ).page(in: database, id: \.id)
        }
    }

    /// - Returns: the names of existing templates by id.
    public func templateNames(
        _ ids: Set<String>
    ) async throws(CatalogueError) -> [String: String] {
        guard !ids.isEmpty else { return [:] }
        return try await read { database in
            let marks = databaseQuestionMarks(count: ids.count)
            let rows = try Row.fetchAll(
                database, sql: "SELECT id, name FROM template WHERE id IN (\(marks))",
                arguments: StatementArguments(ids))
            return Dictionary(
                uniqueKeysWithValues: rows.map { ($0["id"] as String, $0["name"] as String) })
        }
    }

    /// The template of a room; the standard one if the room does not exist yet.
    public func template(of room: RoomID) async throws(CatalogueError) -> RoomTemplate {
        try await read { database in
            guard let id = try CatalogueRoom.find(room.rawValue, in: database)?.template else {
                return .standard
            }
            return try CatalogueTemplate.find(id, in: database).map { .written($0) } ?? .missing(id)
        }
    }

    /// Creates a template, or overwrites the existing one with its name.
    ///
    /// - Parameter template: a new template with an unused id.
    /// - Returns: the template, with the id and creation time of the existing one, if any.
    public func createTemplate(
        _ template: CatalogueTemplate
    ) async throws(CatalogueError) -> CatalogueTemplate {
        try await write { database in
            var written = template
            if let old = try CatalogueTemplate.find(named: template.name, in: database) {
                written.id = old.id
                written.createdAt = old.createdAt
            }
            try written.upsert(into: database)
            return written
        }
    }

    /// - Parameter change: returns a refusal to leave the template unchanged.
    public func updateTemplate<Refusal: Sendable>(
        _ id: String, at now: UnixTime,
        change: @escaping @Sendable (inout CatalogueTemplate) -> Refusal?
    ) async throws(CatalogueError) -> TemplateUpdate<Refusal> {
        try await write { database in
            guard var template = try CatalogueTemplate.find(id, in: database) else {
                return .unknown
            }
            if let refusal = change(&template) { return .refused(refusal) }
            let namesake = try CatalogueTemplate.find(named: template.name, in: database)
            if let namesake, namesake.id != template.id { return .nameTaken(by: namesake.id) }
            template.updatedAt = now
            try template.upsert(into: database)
            return .updated(template)
        }
    }
}

/// The source of a room's policy.
public enum RoomTemplate: Hashable, Sendable {
    /// The policy file, or the default policy without one.
    case standard
    case written(CatalogueTemplate)
    /// The room names a template that does not exist.
    case missing(String)
}

extension CatalogueTemplate: CatalogueRecord {
    static let table = "template"

    init(_ row: RowReader) throws {
        self.init(
            id: try row("id"), name: try row("name"), document: try row("document"),
            createdAt: try row.time("created"))
        updatedAt = try row.time("updated")
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = id
        row["name"] = name
        row["nameKey"] = Self.nameKey(name)
        row["document"] = document
        row["created"] = createdAt.nanoseconds
        row["updated"] = updatedAt.nanoseconds
    }

    fileprivate static func find(
        named name: String, in database: Database
    ) throws -> CatalogueTemplate? {
        try fetchOne(
            database, sql: "SELECT * FROM template WHERE nameKey = ?", arguments: [nameKey(name)])
    }

    /// The key that equivalent names share.
    private static func nameKey(_ name: String) -> String { name.lowercased() }
}
