/// Which pictures recordings are to have beside themselves: `thumbnails` of a 100ms template. What
/// is missing is what the wish says that stands behind this one.
public struct ThumbnailWish: Hashable, Sendable, Codable {
    public var enabled: Bool?
    /// What a thumbnail has to fit into, in pixels; 0 leaves that side open.
    public var width: Int?
    public var height: Int?
    /// In seconds from the recording's beginning.
    public var offsets: [Int]?
    /// Pictures a second of the sheet for scrubbing.
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

    /// This wish, and what another one says where this one says nothing.
    public func completed(by other: ThumbnailWish) -> ThumbnailWish {
        ThumbnailWish(
            enabled: enabled ?? other.enabled, width: width ?? other.width,
            height: height ?? other.height, offsets: offsets ?? other.offsets,
            fps: fps ?? other.fps)
    }

    /// The rule that it breaks; nil for none.
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
