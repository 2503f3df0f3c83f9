import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The history of webhooks and their replay, guarded by a management token.
struct WebhookRoutes: Sendable {
    let catalogue: Catalogue
    let authority: TokenAuthority
    let renewedBody: HTTPService.RenewedBody
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/analytics/webhooks", by: authority, clock: clock)
        group.get("") { request, _ in try await list(request) }
        group.get("/:event") { request, context in
            return JSON.response(try await event(context.parameters.get("event")))
        }
        group.post("/:event/replay") { request, context in
            try await replay(request, context.parameters.get("event"))
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = try Self.query(request)
        let page = try await catalogue.deliveries(query)
        return JSON.response(
            ListBody(
                limit: query.limit, data: page.records.map { WebhookBody($0) },
                last: page.last ?? ""))
    }

    private func event(_ id: String?) async throws -> WebhookBody {
        guard let id, Limits.isRecordID(id) else {
            throw APIError.notFound("webhook event not found")
        }
        guard let delivery = try await catalogue.delivery(id) else {
            throw APIError.notFound("webhook event not found", "event \(id)")
        }
        return WebhookBody(delivery)
    }

    private func replay(_ request: Request, _ id: String?) async throws -> Response {
        let found = try await event(id)
        try await NoBody.check(request)
        // A delivery that is already under way needs no second order.
        guard ![.pending, .held].contains(found.delivery.status) else {
            return JSON.response(found)
        }
        _ = try await catalogue.replay(
            delivery: found.delivery.id, body: try await renewedBody(found.delivery),
            at: clock())
        return JSON.response(try await event(id))
    }

    private static func query(_ request: Request) throws(APIError) -> DeliveryQuery {
        let parameters = ListParameters(request)
        var query = DeliveryQuery()
        query.room = try parameters.recordID("room_id").map { RoomID($0) }
        query.line = try parameters.recordID("stream_id")
        query.start = try parameters.start()
        switch parameters["status"] ?? "all" {
        case "all": break
        case "success": query.status = .delivered
        case "failed": query.status = .failed
        case "pending": query.status = .pending
        case "held": query.status = .held
        default:
            throw .badRequest(
                "status is not valid", "one of all, success, failed, pending, held")
        }
        query.limit = try parameters.limit() ?? query.limit
        return query
    }
}

/// An event and the state of its delivery.
private struct WebhookBody: Encodable {
    var delivery: CatalogueDelivery

    init(_ delivery: CatalogueDelivery) { self.delivery = delivery }

    enum CodingKeys: String, CodingKey {
        case id, type, status, event
        case roomID = "room_id"
        case attemptsFailed = "attempts_failed"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case nextAttemptAt = "next_attempt_at"
    }

    func encode(to encoder: any Encoder) throws {
        func text(_ time: UnixTime) -> String {
            time.description
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(delivery.id, forKey: .id)
        try container.encode(delivery.kind, forKey: .type)
        try container.encode(delivery.room, forKey: .roomID)
        let status =
            switch delivery.status {
            case .pending: "pending"
            case .delivered: "success"
            case .failed: "failed"
            case .held: "held"
            }
        try container.encode(status, forKey: .status)
        try container.encode(delivery.attempts, forKey: .attemptsFailed)
        try container.encode(text(delivery.createdAt), forKey: .createdAt)
        let isPending = delivery.status == .pending
        let hasEnded = delivery.status == .delivered || delivery.status == .failed
        try container.encode(hasEnded ? text(delivery.dueAt) : nil, forKey: .updatedAt)
        try container.encode(isPending ? text(delivery.dueAt) : nil, forKey: .nextAttemptAt)
        // The event's body as it was or will be sent.
        try container.encode(
            try? JSONDocument.decode(JSONValue.self, from: Data(delivery.body), limits: .own),
            forKey: .event)
    }
}
