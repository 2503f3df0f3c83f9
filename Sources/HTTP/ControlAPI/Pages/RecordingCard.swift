import Catalogue
import MediaKernel
import Streams

/// One recording on the page.
struct RecordingCard: Encodable {
    var id: String
    /// Nil while it has none.
    var name: String?
    var room: String
    /// The room's id, as people wrote it.
    var roomTitle: String
    var status: String
    /// Why it ended, in the server's words, and the code of them.
    var reason: String?
    var code: String?
    /// 0 to 1 while its assets are made.
    var progress: Double?
    var createdAt: String
    /// In seconds; nil until its assets exist.
    var duration: Double?
    var assets: [Asset]

    enum CodingKeys: String, CodingKey {
        case id, name, status, progress, duration, assets
        case room = "room_id"
        case roomTitle = "room_title"
        case reason = "stop_reason"
        case code = "stop_code"
        case createdAt = "created_at"
    }

    init(_ record: CatalogueStream, name: String?, live: LiveStream?, assets: [Asset]) {
        id = record.id.rawValue
        self.name = name
        room = record.room.rawValue
        roomTitle = RoomName.title(of: record.room)
        status = live?.status.rawValue ?? record.status.rawValue
        let end = live?.end ?? record.end
        reason = end?.description
        code = end?.code
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
        /// The number of layers in it; nil for one of a single layer.
        var layers: Int?
        /// Whether it is in a store.
        var isStored: Bool
        /// Paths on this server that are valid as long as the links; nil without a file.
        var url: String?
        var playbackURL: String?
        /// The first thumbnail's.
        var thumbnailURL: String?
        var spriteTracksURL: String?

        enum CodingKeys: String, CodingKey {
            case id, type, status, size, duration, width, height, layers, url
            case isStored = "stored"
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
            layers = asset.layerCount
            isStored = asset.location != nil
            url = link?.path
            playbackURL = link?.playbackPath
            thumbnailURL = link?.thumbnailPaths.first
            spriteTracksURL = link?.spriteTracksPath
        }
    }
}

/// What is known of one recording, besides its card.
struct RecordingDetails: Encodable {
    private let card: RecordingCard
    private let stream: LiveStream?
    private let session: CatalogueSession?
    private let uploads: [String: CatalogueUpload]

    init(
        card: RecordingCard, stream: LiveStream?, session: CatalogueSession?,
        uploads: [String: CatalogueUpload]
    ) {
        self.card = card
        self.stream = stream
        self.session = session
        self.uploads = uploads
    }

    private enum CodingKeys: String, CodingKey {
        case people, uploads
        case isCut = "people_cut"
        case startedAt = "started_at"
        case stoppedAt = "stopped_at"
        case startedBy = "started_by"
    }

    private struct Upload: Encodable {
        var bytesSent: Int64
        /// Attempts since the last success.
        var failures: Int
        var reason: String?

        enum CodingKeys: String, CodingKey {
            case failures, reason
            case bytesSent = "bytes_sent"
        }
    }

    func encode(to encoder: any Encoder) throws {
        try card.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream?.startedAt?.description, forKey: .startedAt)
        try container.encode(stream?.stoppedAt?.description, forKey: .stoppedAt)
        try container.encode(starter, forKey: .startedBy)
        try container.encode(people, forKey: .people)
        try container.encode(session?.isCut ?? false, forKey: .isCut)
        try container.encode(
            uploads.mapValues {
                Upload(bytesSent: $0.bytesSent, failures: $0.failures, reason: $0.reason)
            }, forKey: .uploads)
    }

    /// The name of the peer who started it; nil if a program did, or if nobody knows any more.
    private var starter: String? {
        let peer = stream?.startedBy ?? ""
        return session?.attendances.first { $0.peer.rawValue == peer }?.name
    }

    /// The names of those who were in the room while it was recorded, each once.
    private var people: [String] {
        let begin = stream?.startedAt ?? stream?.createdAt
        let end = stream?.stoppedAt
        var known: Set<String> = []
        return (session?.attendances ?? []).filter { one in
            let isBefore = one.leftAt.map { left in begin.map { left < $0 } ?? false } ?? false
            let isAfter = end.map { one.joinedAt > $0 } ?? false
            return !isBefore && !isAfter && !one.name.isEmpty && known.insert(one.name).inserted
        }.map(\.name)
    }
}
