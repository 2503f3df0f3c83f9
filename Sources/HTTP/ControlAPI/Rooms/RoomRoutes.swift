import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens
import Webhooks

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// 100ms' control API for rooms, `/v2/rooms`, guarded by a management token.
struct RoomRoutes: Sendable {
    let catalogue: Catalogue
    let gateway: any SignallingGateway
    let templates: any TemplateControl
    let authority: TokenAuthority
    /// Where rooms' own webhook receivers may be; nil when room events are not sent at all.
    let webhooks: WebhookReach?
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/rooms", by: authority, clock: clock)
        group.post("") { request, _ in try await create(request) }
        group.get("") { request, _ in try await list(request) }
        group.get("/:room") { _, context in
            try await get(room: context.parameters.get("room"))
        }
        group.post("/:room") { request, context in
            try await update(request, room: context.parameters.get("room"))
        }
    }

    private func create(_ request: Request) async throws -> Response {
        let body = try await JSON.decode(RoomRequestBody.self, from: request)
        try body.checkNew()
        try await check(body)
        let id = try body.newID()
        let room = CatalogueRoom(
            id: id, name: body.name ?? UUID().uuidString.lowercased(), createdAt: clock())
        return try await response(
            try await catalogue.createRoom(room) { [standard = templates.standard.id] room in
                body.change(&room, standard: standard)
            }, to: id, saysEnabled: body.enabled != nil)
    }

    private func update(_ request: Request, room: String?) async throws -> Response {
        let id = try RoomID(parameter: room)
        let body = try await JSON.decode(RoomRequestBody.self, from: request)
        try body.checkChange()
        try await check(body)
        return try await response(
            try await catalogue.updateRoom(id, at: clock()) {
                [standard = templates.standard.id] room in
                body.change(&room, standard: standard)
            }, to: id, saysEnabled: body.enabled != nil)
    }

    private func check(_ body: RoomRequestBody) async throws {
        try body.check()
        if let webhook = body.webhook, webhook.isOne { try check(webhook) }
        guard let template = body.templateID, template != templates.standard.id else { return }
        guard try await catalogue.template(template) != nil else {
            throw APIError.badRequest("template not found", "template \(template.prefix(64))")
        }
    }

    private func check(_ webhook: RoomRequestBody.Webhook) throws(APIError) {
        guard let webhooks else {
            throw .badRequest(
                "webhook is not supported",
                "this server tells nobody of rooms: its setting webhooks.url is missing")
        }
        guard webhooks.admits(url: webhook.url) else {
            throw .badRequest(
                "webhook is not valid",
                webhooks.includesPrivate
                    ? "url is an address at which there can be no receiver"
                    : "url is an address of this machine or of a private network, "
                        + "which needs the setting webhooks.allowPrivate, or of no receiver at all")
        }
    }

    private func response(
        _ update: RoomUpdate, to id: RoomID, saysEnabled: Bool
    ) async throws -> Response {
        switch update {
        case .updated(let room):
            await gateway.roomChanged(room, saysEnabled: saysEnabled)
            return try await response(room)
        case .unknown: throw APIError.roomNotFound(id)
        case .nameTaken(let other):
            throw APIError.nameTaken(by: other)
        case .refused:
            throw APIError.badRequest(
                "size is not valid",
                "0 to \(Limits.roomSizes.upperBound), with large_room "
                    + "0 to \(Limits.largeRoomSizes.upperBound)")
        }
    }

    private func get(room: String?) async throws -> Response {
        try await response(try await catalogue.knownRoom(try RoomID(parameter: room)))
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try RoomQuery(request, standard: templates.standard.id)
        let page = try await catalogue.rooms(query)
        let names = try await templateNames(of: page.records)
        return JSON.response(
            ListBody(
                limit: query.limit, data: page.records.map { body($0, names) },
                last: page.last ?? ""))
    }

    private func response(_ room: CatalogueRoom) async throws -> Response {
        JSON.response(body(room, try await templateNames(of: [room])))
    }

    /// By the templates' ids.
    private func templateNames(of rooms: [CatalogueRoom]) async throws -> [String: String] {
        try await catalogue.templateNames(Set(rooms.compactMap(\.template)))
    }

    private func body(_ room: CatalogueRoom, _ templateNames: [String: String]) -> RoomBody {
        RoomBody(
            room: room, templateID: room.template ?? templates.standard.id,
            templateName: room.template.map { templateNames[$0] ?? $0 } ?? StandardTemplate.name,
            account: authority.accessKey)
    }
}

extension Catalogue {
    /// The room that a caller named.
    func knownRoom(_ id: RoomID) async throws -> CatalogueRoom {
        guard let room = try await self.room(id) else { throw APIError.roomNotFound(id) }
        return room
    }
}

extension APIError {
    static func roomNotFound(_ id: RoomID) -> APIError { .notFound("room not found", "room \(id)") }
}

extension RoomQuery {
    /// The filters and the page of a list: `name`, `enabled`, `template_id`, `after`, `before`,
    /// `start`, `limit`. As in 100ms, `enabled` is true when it is missing.
    ///
    /// - Parameter standard: the template of rooms without one.
    init(_ request: Request, standard: String) throws(APIError) {
        let parameters = ListParameters(request)
        self.init(
            name: try parameters.text("name", Limits.isRoomName),
            isEnabled: try parameters.flag("enabled") ?? true,
            template: parameters["template_id"].map { id -> RoomQuery.Template in
                id == standard ? .standard : .written(String(id))
            },
            createdFrom: try parameters.time("after"),
            createdTo: try parameters.time("before"), start: try parameters.start())
        limit = try parameters.limit() ?? limit
    }
}
