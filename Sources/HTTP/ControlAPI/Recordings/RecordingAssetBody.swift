import Catalogue
import MediaKernel

/// An asset in the control API: 100ms' object.
struct RecordingAssetBody: Encodable {
    var asset: CatalogueAsset
    /// Nil without an upload in progress.
    var upload: CatalogueUpload?

    init(_ asset: CatalogueAsset, upload: CatalogueUpload? = nil) {
        self.asset = asset
        self.upload = upload
    }

    enum CodingKeys: String, CodingKey {
        case id, type, path, status, size, duration, thumbnails, sprite, metadata, upload
        case thumbnailImages = "thumbnail_images"
        case jobID = "job_id"
        case roomID = "room_id"
        case sessionID = "session_id"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(asset.id, forKey: .id)
        try container.encode(asset.stream, forKey: .jobID)
        try container.encode(asset.room, forKey: .roomID)
        try container.encode(asset.session?.rawValue ?? "", forKey: .sessionID)
        try container.encode(asset.kind.rawValue, forKey: .type)
        try container.encode(asset.location ?? asset.path, forKey: .path)
        try container.encode(asset.status.rawValue, forKey: .status)
        try container.encode(asset.byteCount, forKey: .size)
        // 100ms has whole seconds.
        try container.encode(
            asset.duration.map { Int($0.inSeconds.rounded()) }, forKey: .duration)
        try container.encode(
            asset.createdAt.description, forKey: .createdAt)
        try container.encode(
            asset.expiresAt?.description,
            forKey: .expiresAt)
        let images = asset.thumbnails?.thumbnails ?? []
        // 100ms has only the paths, and null for none.
        try container.encode(
            images.isEmpty ? nil : images.map { asset.location(of: $0.path) ?? $0.path },
            forKey: .thumbnails)
        try container.encode(images, forKey: .thumbnailImages)
        try container.encode(asset.thumbnails?.sprite, forKey: .sprite)
        try container.encode(Metadata(asset), forKey: .metadata)
        try container.encode(upload.map { Upload($0) }, forKey: .upload)
    }

    /// The progress of the upload into a store.
    private struct Upload: Encodable {
        var bytesSent: Int64
        /// Attempts since the last success.
        var failures: Int
        /// Of the last failure.
        var reason: String?

        init(_ upload: CatalogueUpload) {
            bytesSent = upload.bytesSent
            failures = upload.failures
            reason = upload.reason
        }

        enum CodingKeys: String, CodingKey {
            case bytesSent = "bytes_sent"
            case failures, reason
        }
    }

    private struct Metadata: Encodable {
        var resolution: CatalogueAsset.Size?
        /// Numbers as strings, as in 100ms.
        var layer: String?
        var layerCount: String?
        var widthMaximum: Int?
        var heightMaximum: Int?
        var track: CatalogueAsset.Track?
        var peer: Peer?
        var transcript: CatalogueAsset.Transcript?

        /// Whose picture and sound it is.
        struct Peer: Encodable {
            var track: CatalogueAsset.Track

            enum CodingKeys: String, CodingKey {
                case role, source
                case id = "peer_id"
                case name = "peer_name"
                case start = "start_ms"
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(track.peer, forKey: .id)
                try container.encode(track.name, forKey: .name)
                try container.encode(track.role, forKey: .role)
                try container.encode(track.source, forKey: .source)
                try container.encode(track.start, forKey: .start)
            }
        }

        init(_ asset: CatalogueAsset) {
            if asset.kind == .roomVOD {
                layerCount = asset.layerCount.map { String($0) }
                widthMaximum = asset.size?.width
                heightMaximum = asset.size?.height
            } else {
                resolution = asset.size
                layer = asset.layer.map { String($0) }
            }
            transcript = asset.transcript
            if asset.kind == .stream {
                peer = asset.track.map { Peer(track: $0) }
            } else {
                track = asset.track
            }
        }

        enum CodingKeys: String, CodingKey {
            case resolution, layer, track, peer, transcript
            case layerCount = "num_layers"
            case widthMaximum = "max_width"
            case heightMaximum = "max_height"
        }
    }
}
