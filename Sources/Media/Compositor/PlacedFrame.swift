public import Codec
public import MediaKernel
public import Stage

/// How a picture must be turned to stand upright.
public enum FrameRotation: Int, Hashable, Sendable, CaseIterable {
    case none = 0
    case clockwise90 = 90
    case clockwise180 = 180
    case clockwise270 = 270

    /// Whether width and height change places.
    public var isSideways: Bool { self == .clockwise90 || self == .clockwise270 }
}

/// The content of a tile without video.
public enum StandIn: Sendable {
    /// The peer's picture, or else its initials, on its own colour. The name is below unless it is
    /// nil.
    case peer(PeerID, initialsOf: String, name: String?, picture: StillPicture?)
    /// "+N".
    case others(Int)
}

/// The text on a tile.
public struct TileLabel: Hashable, Sendable {
    public var name: String
    /// Draws a crossed-out microphone before the name.
    public var isMuted: Bool

    public init(name: String, isMuted: Bool = false) {
        self.name = name
        self.isMuted = isMuted
    }
}

/// The content of one rectangle of the canvas.
public struct PlacedFrame: Sendable {
    public var rectangle: Rectangle
    /// The resting place of a moving tile; its content is drawn for this size.
    public var settled: Rectangle
    public var fit: TileFit
    /// Nil shows the stand-in.
    public var frame: VideoFrame?
    public var rotation: FrameRotation
    public var standIn: StandIn
    public var label: TileLabel?
    /// Marks the speaker.
    public var hasBorder: Bool
    /// Of the picture's corners, in luma samples; odd ones are rounded down.
    public var cornerRadius: Int
    /// 0 (unseen) to 255.
    public var opacity: UInt8

    public init(
        rectangle: Rectangle, fit: TileFit, frame: VideoFrame?, rotation: FrameRotation = .none,
        standIn: StandIn = .peer("", initialsOf: "", name: nil, picture: nil),
        label: TileLabel? = nil, hasBorder: Bool = false, cornerRadius: Int = 0,
        opacity: UInt8 = 255
    ) {
        self.rectangle = rectangle
        settled = rectangle
        self.fit = fit
        self.frame = frame
        self.rotation = rotation
        self.standIn = standIn
        self.label = label
        self.hasBorder = hasBorder
        self.cornerRadius = cornerRadius
        self.opacity = opacity
    }
}

/// The layers behind and in front of the tiles.
public struct Decorations: Sendable {
    /// The colour of gaps and letterboxes.
    public var background: Colour
    /// Covers the background, cut to the canvas' shape.
    public var backgroundPicture: StillPicture?
    public var watermark: Watermark?

    /// A picture over everything.
    public struct Watermark: Sendable {
        public var picture: StillPicture
        public var anchor: Layout.Anchor
        /// 0 (unseen) to 1.
        public var opacity: Double
        /// A fraction of the canvas' width.
        public var width: Double

        public init(
            picture: StillPicture, anchor: Layout.Anchor, opacity: Double, width: Double
        ) {
            self.picture = picture
            self.anchor = anchor
            self.opacity = opacity
            self.width = width
        }
    }

    public init(
        background: Colour = SlateRenderer.background, backgroundPicture: StillPicture? = nil,
        watermark: Watermark? = nil
    ) {
        self.background = background
        self.backgroundPicture = backgroundPicture
        self.watermark = watermark
    }
}

extension Decorations: Equatable {
    public static func == (a: Decorations, b: Decorations) -> Bool {
        a.background == b.background && a.watermark == b.watermark
            && a.backgroundPicture?.number == b.backgroundPicture?.number
    }
}

extension Decorations.Watermark: Equatable {
    public static func == (a: Decorations.Watermark, b: Decorations.Watermark) -> Bool {
        a.picture.number == b.picture.number && a.anchor == b.anchor && a.opacity == b.opacity
            && a.width == b.width
    }
}
