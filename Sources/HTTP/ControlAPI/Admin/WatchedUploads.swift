public import Catalogue
import MediaKernel
public import Streams

/// What an object store has not got yet.
public struct WatchedUploads: Hashable, Sendable {
    /// The most files that are looked at.
    public static let filesMaximum = 1000

    public struct File: Hashable, Sendable {
        public var asset: CatalogueAsset
        /// Nil before the first attempt.
        public var upload: CatalogueUpload?

        public init(_ asset: CatalogueAsset, upload: CatalogueUpload?) {
            self.asset = asset
            self.upload = upload
        }

        var hasFailed: Bool { (upload?.failures ?? 0) > 0 }
        var bytesWaiting: Int64 { max(0, asset.byteCount - (upload?.bytesSent ?? 0)) }
    }

    /// `s3://bucket/prefix`
    public var store: String
    /// Finished assets, oldest first: all, or the first ``filesMaximum``.
    public var files: [File]
    /// Those that are copied while they are on air, oldest first.
    public var streams: [LiveStream]

    public init(store: String, files: [File], streams: [LiveStream]) {
        self.store = store
        self.files = files
        self.streams = streams
    }
}

struct WatchedUploadsBody: Encodable {
    /// Those that fail come first.
    static let listedMaximum = 100

    /// Nil without a store.
    var uploads: WatchedUploads?

    enum CodingKeys: String, CodingKey {
        case store, data, streams
        case filesWaiting = "files_waiting"
        case filesFailing = "files_failing"
        case bytesWaiting = "bytes_waiting"
        case isWhole = "all_counted"
    }

    func encode(to encoder: any Encoder) throws {
        let files = uploads?.files ?? []
        let failing = files.filter(\.hasFailed)
        let listed = (failing + files.filter { !$0.hasFailed }).prefix(Self.listedMaximum)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uploads?.store, forKey: .store)
        try container.encode(files.count, forKey: .filesWaiting)
        try container.encode(failing.count, forKey: .filesFailing)
        try container.encode(files.reduce(0) { $0 + $1.bytesWaiting }, forKey: .bytesWaiting)
        try container.encode(files.count < WatchedUploads.filesMaximum, forKey: .isWhole)
        try container.encode(listed.map(FileBody.init), forKey: .data)
        try container.encode((uploads?.streams ?? []).compactMap(StreamBody.init), forKey: .streams)
    }

    private struct FileBody: Encodable {
        var file: WatchedUploads.File

        enum CodingKeys: String, CodingKey {
            case id, type, path, size, failures, reason
            case jobID = "job_id"
            case roomID = "room_id"
            case createdAt = "created_at"
            case bytesSent = "bytes_sent"
        }

        func encode(to encoder: any Encoder) throws {
            let asset = file.asset
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(asset.id, forKey: .id)
            try container.encode(asset.stream, forKey: .jobID)
            try container.encode(asset.room, forKey: .roomID)
            try container.encode(asset.kind.rawValue, forKey: .type)
            try container.encode(asset.path, forKey: .path)
            try container.encode(asset.byteCount, forKey: .size)
            try container.encode(asset.createdAt.description, forKey: .createdAt)
            try container.encode(file.upload?.bytesSent ?? 0, forKey: .bytesSent)
            try container.encode(file.upload?.failures ?? 0, forKey: .failures)
            try container.encode(file.upload?.reason, forKey: .reason)
        }
    }

    private struct StreamBody: Encodable {
        var id: StreamID
        var room: RoomID
        var upload: LiveStreamUploadBody

        init?(_ stream: LiveStream) {
            guard let upload = stream.upload else { return nil }
            id = stream.id
            room = stream.room
            self.upload = LiveStreamUploadBody(upload)
        }

        enum CodingKeys: String, CodingKey {
            case id, upload
            case room = "room_id"
        }
    }
}
