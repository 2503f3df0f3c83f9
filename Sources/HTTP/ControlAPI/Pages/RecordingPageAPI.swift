import Catalogue
import HTTPTypes
import Hummingbird
import MediaKernel
import Streams
import Tokens

/// The data of the recordings page, `/api/recordings`: recordings with their assets and links, in
/// one answer.
///
/// Needs a management token, since a link is as good as the file; not with the development key,
/// with which anyone on the machine can make one.
struct RecordingPageAPI: Sendable {
    let control: any LiveStreamControl
    let library: RecordingLibrary
    let authority: TokenAuthority
    let isOpen: Bool
    let clock: @Sendable () -> UnixTime

    func add(to router: Router<some RequestContext>) {
        router.managed("/api/recordings", by: authority, isOpen: isOpen, clock: clock)
            .get("") { request, _ in try await list(request) }
    }

    private func list(_ request: Request) async throws -> Response {
        var query = try CatalogueQuery<LiveStream.Status>(request)
        query.isRecorded = true
        let page = try await library.catalogue.streams(query)
        let assets = try await library.catalogue.assets(of: page.records.map(\.id))
        let now = clock()
        var bodies: [RecordingCard] = []
        for record in page.records {
            // For unfinished streams the control has newer data.
            let live = record.status.isFinal ? nil : try await control.stream(record.id)
            bodies.append(
                RecordingCard(
                    record, live: live,
                    assets: (assets[record.id] ?? []).map { asset in
                        RecordingCard.Asset(asset, link: library.link(to: asset, at: now))
                    }))
        }
        return JSON.response(
            ListBody(limit: query.limit, data: bodies, last: page.last ?? ""))
    }
}

/// One recording on the page.
struct RecordingCard: Encodable {
    var id: String
    var room: String
    var status: String
    var reason: String?
    /// 0 to 1 while its assets are made.
    var progress: Double?
    var createdAt: String
    /// In seconds; nil until its assets exist.
    var duration: Double?
    var assets: [Asset]

    enum CodingKeys: String, CodingKey {
        case id, status, progress, duration, assets
        case room = "room_id"
        case reason = "stop_reason"
        case createdAt = "created_at"
    }

    init(_ record: CatalogueStream, live: LiveStream?, assets: [Asset]) {
        id = record.id.rawValue
        room = record.room.rawValue
        status = live?.status.rawValue ?? record.status.rawValue
        reason = (live?.end ?? record.end)?.description
        progress = live?.finishing.permille.map { Double($0) / 1000 }
        createdAt = record.createdAt.description
        duration = assets.compactMap(\.duration).max()
        self.assets = assets
    }

    struct Asset: Encodable {
        var id: String
        var type: String
        var status: String
        /// In bytes.
        var size: Int64
        var duration: Double?
        var width: Int?
        var height: Int?
        /// Paths on this server that are valid as long as the links; nil without a file.
        var url: String?
        var playbackURL: String?
        /// The first thumbnail's.
        var thumbnailURL: String?
        var spriteTracksURL: String?

        enum CodingKeys: String, CodingKey {
            case id, type, status, size, duration, width, height, url
            case playbackURL = "playback_url"
            case thumbnailURL = "thumbnail_url"
            case spriteTracksURL = "sprite_vtt_url"
        }

        init(_ asset: CatalogueAsset, link: RecordingLibrary.Link?) {
            id = asset.id
            type = asset.kind.rawValue
            status = asset.status.rawValue
            size = asset.byteCount
            duration = asset.duration?.inSeconds
            width = asset.size?.width
            height = asset.size?.height
            url = link?.path
            playbackURL = link?.playbackPath
            thumbnailURL = link?.thumbnailPaths.first
            spriteTracksURL = link?.spriteTracksPath
        }
    }
}
