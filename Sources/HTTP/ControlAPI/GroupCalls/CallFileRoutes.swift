import Catalogue
import GroupCalls
import Hummingbird
import MediaKernel
import Tokens

/// The recorded files of group calls, `/v2/group-calls/<room>/recordings`, guarded by a management
/// token. Each request makes new links.
struct CallFileRoutes: Sendable {
    /// How long a link is valid.
    private static let linkLifetime: Duration = .seconds(86_400)

    let library: RecordingLibrary
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let group = router.managed("/v2/group-calls/:room/recordings", by: authority, clock: clock)
        group.get("") { request, context in
            try await list(request, room: context.parameters.get("room"))
        }
    }

    private func list(_ request: Request, room: String?) async throws -> Response {
        let id = try RoomID(parameter: room)
        let parameters = ListParameters(request)
        let limit = try parameters.limit() ?? PageLimit.range.lowerBound
        let calls = CallCatalogue(library.catalogue)
        guard try await calls.call(id) != nil else { throw APIError(CallError.unknownCall(id)) }
        let (files, isLast) = try await calls.files(
            of: id, after: try parameters.count("after") ?? 0, limit: limit)
        let (now, base) = (clock(), endpoints.base(for: request))
        return JSON.response(
            JSONValue.object([
                "limit": .integer(Int64(limit)),
                "data": .array(files.map { json($0, at: now, base: base) }),
                // The `after` of the next page; null on the last one.
                "next": isLast
                    ? .null : files.last.map { .integer(Int64($0.number)) } ?? .null,
            ]))
    }

    private func json(_ file: CallCatalogue.File, at now: UnixTime, base: String) -> JSONValue {
        let asset = file.asset
        let link = library.link(to: asset, at: now, lifetime: Self.linkLifetime)
        return .object([
            "number": .integer(Int64(file.number)), "asset_id": .string(asset.id),
            "recording_id": .string(asset.stream.rawValue),
            "format": .string(asset.size == nil ? "aac" : "mp4"),
            "width": asset.size.map { .integer(Int64($0.width)) } ?? .null,
            "height": asset.size.map { .integer(Int64($0.height)) } ?? .null,
            "status": .string(asset.status.rawValue), "size": .integer(asset.byteCount),
            "duration": asset.duration.map { .integer(Int64($0.inSeconds.rounded())) } ?? .null,
            "created_at": .string(asset.createdAt.description),
            "kept_until": asset.expiresAt.map { .string($0.description) } ?? .null,
            "url": link.map { .string($0.url(base: base)) } ?? .null,
            "url_expires_at": link.map { .string($0.expiry.description) } ?? .null,
        ])
    }
}
