import GRDB
public import GroupCalls
public import MediaKernel

/// The group calls in the catalogue, their only source of truth.
public struct CallCatalogue: Sendable {
    let catalogue: Catalogue

    public init(_ catalogue: Catalogue) { self.catalogue = catalogue }

    /// Nil for an ordinary room, and for none.
    public func call(_ id: RoomID) async throws(CatalogueError) -> GroupCall? {
        try await catalogue.read { try GroupCall.find(id.rawValue, in: $0) }
    }

    /// Creates a call with its room.
    ///
    /// - Parameter room: a new one with the call's id.
    /// - Returns: nil if it was created; otherwise the room that has the name.
    public func create(
        _ call: GroupCall, in room: CatalogueRoom
    ) async throws(CatalogueError) -> RoomID? {
        try await catalogue.write { database in
            if let namesake = try CatalogueRoom.find(named: room.name, in: database) {
                return namesake.id
            }
            try room.upsert(into: database)
            try call.upsert(into: database)
            return nil
        }
    }

    /// Changes a call.
    ///
    /// - Parameter body: its refusal leaves the call unchanged.
    /// - Returns: the changed call, and the value of `body`; or why it was not changed.
    public func change<Value: Sendable>(
        _ id: RoomID, _ body: @escaping @Sendable (inout GroupCall) throws(CallError) -> Value
    ) async throws(CatalogueError) -> Result<(call: GroupCall, value: Value), CallError> {
        try await catalogue.write { database in
            guard var call = try GroupCall.find(id.rawValue, in: database) else {
                return .failure(.unknownCall(id))
            }
            let value: Value
            do throws(CallError) {
                value = try body(&call)
            } catch {
                return .failure(error)
            }
            try call.upsert(into: database)
            return .success((call, value))
        }
    }

    /// Deletes a call. Its invitations are cancelled.
    ///
    /// - Parameters:
    ///   - user: nil for a server.
    ///   - delivery: makes the webhook event of the deletion, if there is one.
    /// - Returns: the deleted call, and the invitations that waited for an answer.
    public func delete(
        _ id: RoomID, by user: String?, at now: UnixTime,
        telling delivery: @escaping @Sendable (GroupCall) -> CatalogueDelivery?
    ) async throws(CatalogueError) -> Result<(call: GroupCall, canceled: [Invitation]), CallError> {
        try await catalogue.write { database in
            guard var call = try GroupCall.find(id.rawValue, in: database) else {
                return .failure(.unknownCall(id))
            }
            do throws(CallError) {
                try call.delete(by: user, at: now)
            } catch {
                return .failure(error)
            }
            try call.upsert(into: database)
            try delivery(call)?.insert(into: database)
            let canceled = try Invitation.pending(of: id, at: now, in: database).map { pending in
                var invitation = pending
                // It is pending, and a server may cancel every one.
                try invitation.end(by: .cancel, of: nil, at: now)
                try invitation.upsert(into: database)
                return invitation
            }
            return .success((call, canceled))
        }
    }

    /// Adds a single event to the outbox.
    public func save(_ delivery: CatalogueDelivery) async throws(CatalogueError) {
        try await catalogue.save(delivery)
    }

    /// A page of a list, the newest call first.
    ///
    /// - Parameters:
    ///   - occupied: the rooms with participants.
    ///   - place: where the page begins; nil for the first page.
    /// - Returns: the calls, and where the next page begins; nil after the last one.
    public func calls(
        _ filter: CallFilter, occupied: [RoomID: Int], behind place: CallPlace?, limit: Int
    ) async throws(CatalogueError) -> (calls: [GroupCall], next: CallPlace?) {
        let limit = PageLimit.clamped(limit)
        let (sql, arguments) = CallStatement(
            filter, occupied: occupied, behind: place, limit: limit + 1
        ).parts
        let found = try await catalogue.read {
            try GroupCall.fetchAll($0, sql: sql, arguments: arguments)
        }
        let calls = Array(found.prefix(limit))
        return (calls, found.count > limit ? calls.last.map { CallPlace(behind: $0) } : nil)
    }
}

/// The SQL of a page of calls. It walks an index from the page's place.
struct CallStatement {
    private var conditions: [String] = []
    private var arguments = StatementArguments()
    private let limit: Int

    init(_ filter: CallFilter, occupied: [RoomID: Int], behind place: CallPlace?, limit: Int) {
        self.limit = limit
        if !filter.ids.isEmpty { require("id", isIn: filter.ids.map(\.rawValue)) }
        if !filter.types.isEmpty { require("type", isIn: filter.types.map(\.rawValue).sorted()) }
        if !filter.creators.isEmpty { require("creator", isIn: filter.creators) }
        if let state = filter.state { require("state = ?", state.rawValue) }
        if let from = filter.createdAt.from { require("created >= ?", from.nanoseconds) }
        if let to = filter.createdAt.to { require("created <= ?", to.nanoseconds) }
        switch filter.occupation(occupied) {
        case .any: break
        case .only(let rooms): require("id", isIn: rooms.map(\.rawValue))
        case .allBut(let rooms): require("id", isNot: true, isIn: rooms.map(\.rawValue))
        }
        guard let place else { return }
        conditions.append("(created, id) < (?, ?)")
        arguments += [place.createdAt.nanoseconds, place.id.rawValue]
    }

    private mutating func require(_ condition: String, _ value: any DatabaseValueConvertible) {
        conditions.append(condition)
        arguments += [value]
    }

    private mutating func require(
        _ column: String, isNot: Bool = false, isIn values: [String]
    ) {
        let marks = databaseQuestionMarks(count: values.count)
        conditions.append("\(column) \(isNot ? "NOT " : "")IN (\(marks))")
        arguments += StatementArguments(values)
    }

    var parts: (sql: String, arguments: StatementArguments) {
        let clause = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        return (
            "SELECT * FROM groupCall \(clause) ORDER BY created DESC, id DESC LIMIT \(limit)",
            arguments
        )
    }
}

extension GroupCall: CatalogueRecord {
    static let table = "groupCall"

    init(_ row: RowReader) throws {
        let deletedAt: UnixTime? = try row.time("deleted")
        let deleter: String? = try row("deleter")
        self.init(
            id: try row.id("id"), type: try row.choice("type"),
            items: CustomItems(
                stored: try row.document("items") ?? [:], version: try row("itemsVersion")),
            creator: try row("creator"), defaultImage: try row("image"),
            createdAt: try row.time("created"),
            end: deletedAt.map { End(at: $0, by: deleter) })
    }

    func write(to row: inout PersistenceContainer) throws {
        row["id"] = id.rawValue
        row["type"] = type.rawValue
        row["state"] = state.rawValue
        try row.set(items.values, in: "items")
        row["itemsVersion"] = items.version
        row["creator"] = creator
        row["image"] = defaultImage
        row["created"] = createdAt.nanoseconds
        row["deleted"] = end?.at.nanoseconds
        row["deleter"] = end?.by
    }
}
