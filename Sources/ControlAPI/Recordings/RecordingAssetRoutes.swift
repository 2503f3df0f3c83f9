import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel

/// 100ms' control API for recordings' assets, guarded by a management token.
struct RecordingAssetRoutes: Sendable {
    let library: RecordingLibrary
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> Timestamp

    func add(to router: Router<some RequestContext>) {
        let assets = router.group("/v2/recording-assets")
        assets.get("") { request, _ in try await listAssets(request) }
        assets.get("/:asset") { request, context in
            try await authorize(request)
            let asset = try await asset(context.parameters.get("asset"))
            let uploads = try await uploads(of: [asset])
            return JSON.response(RecordingAssetBody(asset, upload: uploads[asset.id]))
        }
        assets.get("/:asset/presigned-url") { request, context in
            try await link(request, to: context.parameters.get("asset"))
        }
    }

    private func listAssets(_ request: Request) async throws -> Response {
        try await authorize(request)
        let query = try ListQuery<CatalogueAsset.Status>(request).catalogueQuery
        let page = try await asked { catalogue throws(CatalogueError) in
            try await catalogue.assets(query)
        }
        let uploads = try await uploads(of: page.records)
        return JSON.response(
            RecordingListBody(
                limit: query.limit,
                data: page.records.map { RecordingAssetBody($0, upload: uploads[$0.id]) },
                last: page.last ?? ""))
    }

    private func link(_ request: Request, to id: String?) async throws -> Response {
        try await authorize(request)
        let asset = try await asset(id)
        var lifetime: Duration?
        if let text = request.uri.queryParameters["presign_duration"] {
            let range = RecordingLibrary.linkLifetimes
            guard let seconds = Int(text), range.contains(seconds) else {
                throw APIError.badRequest(
                    "presign_duration is not valid",
                    "\(range.lowerBound) to \(range.upperBound) seconds")
            }
            lifetime = .seconds(seconds)
        }
        let now = UnixTime(nanoseconds: clock().nanoseconds)
        guard let link = library.link(to: asset, at: now, lifetime: lifetime) else {
            throw APIError.notFound(
                "recording asset has no file", "it is \(asset.status.rawValue)")
        }
        let base = endpoints.base(for: request)
        return JSON.response(
            LinkBody(
                id: asset.id, path: asset.location ?? asset.path, url: link.url(base: base),
                playbackURL: link.playbackPath.map { base + $0 },
                expiry: Timestamp(nanoseconds: link.expiry.nanoseconds).description))
    }

    private struct LinkBody: Encodable {
        var id: String
        var path: String
        var url: String
        var playbackURL: String?
        var expiry: String

        enum CodingKeys: String, CodingKey {
            case id, path, url, expiry
            case playbackURL = "playback_url"
        }
    }

    private func asset(_ id: String?) async throws -> CatalogueAsset {
        guard let id, id.utf8.count <= Limits.assetIDBytes, id.utf8.allSatisfy(Limits.isWordByte)
        else { throw APIError.notFound("recording asset not found") }
        let asset = try await asked { catalogue throws(CatalogueError) in
            try await catalogue.asset(id)
        }
        guard let asset else {
            throw APIError.notFound("recording asset not found", "asset \(id)")
        }
        return asset
    }

    private func uploads(
        of assets: [CatalogueAsset]
    ) async throws(APIError) -> [String: CatalogueUpload] {
        try await asked { catalogue throws(CatalogueError) in
            try await catalogue.uploads(of: assets.map(\.id))
        }
    }

    private func asked<Value>(
        _ body: (Catalogue) async throws(CatalogueError) -> Value
    ) async throws(APIError) -> Value {
        do throws(CatalogueError) {
            return try await body(library.catalogue)
        } catch {
            throw APIError(error)
        }
    }

    private func authorize(_ request: Request) async throws(APIError) {
        do {
            _ = try await authority.verifyManagementToken(BearerToken.read(request), at: clock())
        } catch {
            throw .managementToken(error)
        }
    }
}

/// The filters and the page of a list: `room_id`, `session_id`, `status`, `start`, `limit`.
struct ListQuery<Status: RawRepresentable<String> & CaseIterable & Hashable & Sendable> {
    let catalogueQuery: CatalogueQuery<Status>

    init(_ request: Request) throws(APIError) {
        let parameters = request.uri.queryParameters
        func identifier(_ name: Substring) throws(APIError) -> String? {
            guard let text = parameters[name] else { return nil }
            guard Limits.isIdentifier(text) else { throw .badRequest("\(name) is not valid") }
            return String(text)
        }
        var query = CatalogueQuery<Status>()
        query.room = try identifier("room_id").map { RoomID($0) }
        query.session = try identifier("session_id").map { SessionID($0) }
        query.stream = try identifier("job_id").map { StreamID($0) }
        if let text = parameters["status"] {
            guard let status = Status(rawValue: String(text)) else {
                let known = Status.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("status is not valid", "one of \(known)")
            }
            query.status = status
        }
        if let start = parameters["start"], !start.isEmpty {
            guard start.utf8.count <= Limits.assetIDBytes,
                start.utf8.allSatisfy(Limits.isWordByte)
            else { throw .badRequest("start is not valid") }
            query.start = String(start)
        }
        if let text = parameters["limit"] {
            let range = CatalogueQuery<Status>.limits
            guard let limit = Int(text), range.contains(limit) else {
                throw .badRequest(
                    "limit is not valid", "\(range.lowerBound) to \(range.upperBound)")
            }
            query.limit = limit
        }
        catalogueQuery = query
    }
}
