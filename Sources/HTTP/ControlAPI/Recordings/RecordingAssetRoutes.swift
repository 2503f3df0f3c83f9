import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// 100ms' control API for recordings' assets, guarded by a management token.
struct RecordingAssetRoutes: Sendable {
    let library: RecordingLibrary
    let authority: TokenAuthority
    let endpoints: Endpoints
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        let assets = router.managed(
            "/v2/recording-assets", by: authority, isForReaders: true, clock: clock)
        assets.get("") { request, _ in try await listAssets(request) }
        assets.get("/:asset") { request, context in
            let asset = try await asset(context.parameters.get("asset"))
            let uploads = try await library.catalogue.uploads(of: [asset.id])
            return JSON.response(RecordingAssetBody(asset, upload: uploads[asset.id]))
        }
        assets.get("/:asset/presigned-url") { request, context in
            try await link(request, to: context.parameters.get("asset"))
        }
    }

    private func listAssets(_ request: Request) async throws -> Response {
        let query = try CatalogueQuery<CatalogueAsset.Status>(request)
        let page = try await library.catalogue.assets(query)
        let uploads = try await library.catalogue.uploads(of: page.records.map(\.id))
        return JSON.response(
            ListBody(
                limit: query.limit,
                data: page.records.map { RecordingAssetBody($0, upload: uploads[$0.id]) },
                last: page.last ?? ""))
    }

    private func link(_ request: Request, to id: String?) async throws -> Response {
        let asset = try await asset(id)
        var lifetime: Duration?
        // 100ms' SDK for Node.js writes "undefined" for one that its caller does not name.
        if let text = request.uri.queryParameters["presign_duration"], text != "undefined" {
            let range = RecordingLibrary.linkLifetimes
            guard let seconds = Int(text), range.contains(seconds) else {
                throw APIError.badRequest(
                    "presign_duration is not valid",
                    "\(range.lowerBound) to \(range.upperBound) seconds")
            }
            lifetime = .seconds(seconds)
        }
        let now = clock()
        guard let link = library.link(to: asset, at: now, lifetime: lifetime) else {
            let reason =
                switch asset.location {
                case let location? where asset.status == .completed:
                    "it is at \(location), and no store is set up that it could be had from"
                default: "it is \(asset.status.rawValue)"
                }
            throw APIError.notFound("recording asset has no file", reason)
        }
        let base = endpoints.base(for: request)
        return JSON.response(
            LinkBody(
                id: asset.id, path: asset.location ?? asset.path, url: link.url(base: base),
                playbackURL: link.playbackPath.map { base + $0 },
                thumbnailURLs: link.thumbnailPaths.map { base + $0 },
                spriteURL: link.spritePath.map { base + $0 },
                spriteTracksURL: link.spriteTracksPath.map { base + $0 },
                expiry: link.expiry.seconds - now.seconds,
                expiresAt: link.expiry.description))
    }

    private struct LinkBody: Encodable {
        var id: String
        var path: String
        var url: String
        var playbackURL: String?
        /// In the order of the asset's `thumbnails`.
        var thumbnailURLs: [String]
        var spriteURL: String?
        var spriteTracksURL: String?
        /// In seconds from now.
        var expiry: Int64
        var expiresAt: String

        enum CodingKeys: String, CodingKey {
            case id, path, url, expiry
            case expiresAt = "expires_at"
            case playbackURL = "playback_url"
            case thumbnailURLs = "thumbnail_urls"
            case spriteURL = "sprite_url"
            case spriteTracksURL = "sprite_vtt_url"
        }
    }

    private func asset(_ id: String?) async throws -> CatalogueAsset {
        guard let id, Limits.isRecordID(id) else {
            throw APIError.notFound("recording asset not found")
        }
        guard let asset = try await library.catalogue.asset(id) else {
            throw APIError.notFound("recording asset not found", "asset \(id)")
        }
        return asset
    }
}
