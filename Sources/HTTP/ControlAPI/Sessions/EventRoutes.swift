import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// The events of a room or a session, as sent by webhooks: `/v2/analytics/events`, guarded by a
/// management token.
struct EventRoutes: Sendable {
    /// The most event names in one request.
    private static let kindsMaximum = 32

    let catalogue: Catalogue
    let authority: TokenAuthority
    /// Events are only kept if webhooks are sent.
    let sendsWebhooks: Bool
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        router.managed("/v2/analytics/events", by: authority, clock: clock)
            .get("") { request, _ in try await list(request) }
    }

    private func list(_ request: Request) async throws -> Response {
        guard sendsWebhooks else {
            throw APIError.conflict(
                "events are not kept", "they are while webhooks.url is set")
        }
        let query = try Self.query(request)
        let (page, total) = try await catalogue.events(query)
        return JSON.response(
            EventList(
                limit: page.records.count, total: total, next: page.last ?? "",
                events: page.records.compactMap {
                    try? JSONDocument.decode(JSONValue.self, from: $0.body, limits: .own)
                }))
    }

    private static func query(_ request: Request) throws(APIError) -> EventQuery {
        let parameters = ListParameters(request)
        guard let room = parameters["room_id"] else { throw .badRequest("room_id is missing") }
        var query = EventQuery(room: try RoomID(parameter: room))
        let kinds = parameters.all("type")
        guard kinds.count <= kindsMaximum else {
            throw .badRequest("type is not valid", "at most \(kindsMaximum) of them")
        }
        query.kinds = kinds
        for name in ["session_id", "peer_id", "user_id", "beam_id"] as [Substring] {
            guard let value = parameters[name] else { continue }
            guard (1...Limits.peerIDCharacters).contains(value.utf8.count) else {
                throw .badRequest("\(name) is not valid")
            }
            query.fields[String(name)] = String(value)
        }
        if try parameters.flag("error") == true {
            let failures = ["hls.failure", "beam.failure", "recording.failed"]
            query.kinds = kinds.isEmpty ? failures : failures.filter(kinds.contains)
            // None of the requested kinds is an error.
            if query.kinds.isEmpty { query.kinds = [""] }
        }
        query.start = try parameters.start()
        if let text = parameters["limit"] {
            guard let limit = Int(text), EventQuery.limits.contains(limit) else {
                throw .badRequest(
                    "limit is not valid",
                    "\(EventQuery.limits.lowerBound) to \(EventQuery.limits.upperBound)")
            }
            query.limit = limit
        }
        return query
    }
}

private struct EventList: Encodable {
    var limit: Int
    var total: Int
    /// The `start` of the next page; empty on the last page.
    var next: String
    var events: [JSONValue]
}
