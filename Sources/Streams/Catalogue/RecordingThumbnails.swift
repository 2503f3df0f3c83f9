/// Which pictures are wanted of a recording beside itself.
public struct ThumbnailOrder: Hashable, Sendable, Codable {
    /// What a thumbnail has to fit into, in luma samples; 0 leaves that side open.
    public var width: Int
    public var height: Int
    /// In seconds from the recording's beginning.
    public var offsets: [Int]
    /// Pictures a second of the sheet for scrubbing; nil for as many as it has room for.
    public var frameRate: Double?

    public init(width: Int = 0, height: Int = 0, offsets: [Int], frameRate: Double? = nil) {
        self.width = width
        self.height = height
        self.offsets = offsets
        self.frameRate = frameRate
    }

    enum CodingKeys: String, CodingKey {
        case width, height, offsets
        case frameRate = "fps"
    }
}

/// Pictures that were made of a recording. All paths are relative to the root of recordings.
public struct RecordingThumbnails: Hashable, Sendable, Codable {
    /// One picture as a JPEG file.
    public struct Thumbnail: Hashable, Sendable, Codable {
        public var path: String
        public var width: Int
        public var height: Int
        /// Where it was asked for, in seconds.
        public var offset: Int

        public init(path: String, width: Int, height: Int, offset: Int) {
            self.path = path
            self.width = width
            self.height = height
            self.offset = offset
        }
    }

    /// Many small pictures in one JPEG file, and a WebVTT file that says which is shown when.
    public struct Sprite: Hashable, Sendable, Codable {
        public var path: String
        public var tracksPath: String
        /// Of one picture.
        public var width: Int
        public var height: Int
        public var count: Int

        public init(path: String, tracksPath: String, width: Int, height: Int, count: Int) {
            self.path = path
            self.tracksPath = tracksPath
            self.width = width
            self.height = height
            self.count = count
        }

        enum CodingKeys: String, CodingKey {
            case path, width, height, count
            case tracksPath = "vtt_path"
        }
    }

    public var thumbnails: [Thumbnail]
    public var sprite: Sprite?

    public init(thumbnails: [Thumbnail] = [], sprite: Sprite? = nil) {
        self.thumbnails = thumbnails
        self.sprite = sprite
    }

    /// Of all files.
    public var paths: [String] {
        thumbnails.map(\.path) + (sprite.map { [$0.path, $0.tracksPath] } ?? [])
    }

    /// Where all of them lie, and nothing else; nil without files, and for a path that was edited.
    public var directory: String? {
        guard let path = paths.first, let end = path.lastIndex(of: "/"),
            path[..<end].hasSuffix("/\(RecordingPlace.thumbnailsName)")
        else { return nil }
        return String(path[..<end])
    }
}
