import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// 100ms' control API for sessions of rooms, `/v2/sessions`, guarded by a management token.
struct SessionRoutes: Sendable {
    /// The most peers of a single session, and of one in a list.
    static let peersMaximum = 10_000
    static let peersInListMaximum = 100

    let catalogue: Catalogue
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/sessions", by: authority, clock: clock)
        group.get("") { request, _ in try await list(request) }
        group.get("/:session") { _, context in
            try await get(context.parameters.get("session"))
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let parameters = ListParameters(request)
        var query = SessionQuery(
            room: try parameters.identifier("room_id").map { RoomID($0) },
            isActive: try parameters.flag("active"), from: try parameters.time("after"),
            to: try parameters.time("before"), start: try parameters.start(),
            attendancesMaximum: Self.peersInListMaximum)
        query.limit = try parameters.limit() ?? query.limit
        let page = try await catalogue.sessions(query)
        var bodies: [SessionBody] = []
        for session in page.records {
            bodies.append(try await body(of: session, assetsMaximum: PageLimit.range.lowerBound))
        }
        return JSON.response(ListBody(limit: query.limit, data: bodies, last: page.last ?? ""))
    }

    private func get(_ text: String?) async throws -> Response {
        guard let text, Limits.isIdentifier(text),
            let session = try await catalogue.session(
                SessionID(text), attendancesMaximum: Self.peersMaximum)
        else { throw APIError.notFound("session not found") }
        return JSON.response(
            try await body(of: session, assetsMaximum: PageLimit.range.upperBound))
    }

    private func body(
        of session: CatalogueSession, assetsMaximum: Int
    ) async throws -> SessionBody {
        let assets = try await catalogue.assets(
            CatalogueQuery<CatalogueAsset.Status>(session: session.id, limit: assetsMaximum))
        return SessionBody(
            session: session, assets: assets.records, account: authority.accessKey, now: clock())
    }
}
