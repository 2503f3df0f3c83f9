/// The pictures that recordings have in addition. Missing fields are taken from the next wish.
public struct ThumbnailOptions: Hashable, Sendable, Codable {
    public var enabled: Bool?
    /// The bounds of a thumbnail in pixels; 0 leaves a side unbounded.
    public var width: Int?
    public var height: Int?
    /// In seconds from the start of the recording.
    public var offsets: [Int]?
    /// Pictures per second on the sprite.
    public var fps: Double?

    /// A week.
    public static let secondsMaximum = 604_800
    public static let offsetsMaximum = 20
    /// In pixels.
    public static let sideMaximum = 1920

    public init(
        enabled: Bool? = nil, width: Int? = nil, height: Int? = nil, offsets: [Int]? = nil,
        fps: Double? = nil
    ) {
        self.enabled = enabled
        self.width = width
        self.height = height
        self.offsets = offsets
        self.fps = fps
    }

    /// This wish, completed with another one's fields.
    public func completed(by other: ThumbnailOptions) -> ThumbnailOptions {
        ThumbnailOptions(
            enabled: enabled ?? other.enabled, width: width ?? other.width,
            height: height ?? other.height, offsets: offsets ?? other.offsets,
            fps: fps ?? other.fps)
    }

    /// The first broken rule; nil for none.
    public var fault: String? {
        for (name, side) in [("width", width), ("height", height)] {
            guard let side, side != 0 else { continue }
            guard (16...Self.sideMaximum).contains(side) else {
                return "\(name) is 0 or 16 to \(Self.sideMaximum) pixels"
            }
        }
        if let offsets {
            guard offsets.count <= Self.offsetsMaximum,
                offsets.allSatisfy((0...Self.secondsMaximum).contains)
            else {
                return "offsets are at most \(Self.offsetsMaximum) whole seconds, "
                    + "0 to \(Self.secondsMaximum)"
            }
        }
        if let fps, !(fps > 0 && fps <= 60) { return "fps is above 0 and at most 60" }
        return nil
    }
}
