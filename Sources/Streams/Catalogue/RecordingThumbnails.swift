/// The thumbnails to make of a recording.
public struct ThumbnailOrder: Hashable, Sendable, Codable {
    /// The maximal size of a thumbnail in luma samples; 0 for no limit on that side.
    public var width: Int
    public var height: Int
    /// In seconds from the start of the recording.
    public var offsets: [Int]
    /// The frame rate of the sprite; nil for as many pictures as fit.
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

/// The thumbnails of a recording. All paths are relative to the root of recordings.
public struct RecordingThumbnails: Hashable, Sendable, Codable {
    /// One picture as a JPEG file.
    public struct Thumbnail: Hashable, Sendable, Codable {
        public var path: String
        public var width: Int
        public var height: Int
        /// The requested position in seconds.
        public var offset: Int

        public init(path: String, width: Int, height: Int, offset: Int) {
            self.path = path
            self.width = width
            self.height = height
            self.offset = offset
        }
    }

    /// Many small pictures in one JPEG file, with a WebVTT file that maps times to pictures.
    public struct Sprite: Hashable, Sendable, Codable {
        public var path: String
        public var tracksPath: String
        /// The size of one picture.
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

    /// The paths of all files.
    public var paths: [String] {
        thumbnails.map(\.path) + (sprite.map { [$0.path, $0.tracksPath] } ?? [])
    }

    /// The directory that holds these files and nothing else; nil if there are no files or a path
    /// was edited.
    public var directory: String? {
        guard let path = paths.first, let end = path.lastIndex(of: "/"),
            path[..<end].hasSuffix("/\(RecordingPlace.thumbnailsName)")
        else { return nil }
        return String(path[..<end])
    }
}
