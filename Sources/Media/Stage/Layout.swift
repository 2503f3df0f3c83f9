import MediaKernel

/// The rule that places tiles.
public enum LayoutName: String, Hashable, Sendable, CaseIterable {
    /// Equal tiles in rows.
    case grid
    /// Whoever speaks large, the others in a strip.
    case speaker
    /// A shared screen large, the faces in a strip; a grid while nobody shares.
    case screen
    /// One peer, or one of a role, and nobody else.
    case single
    /// One peer or a shared screen large, another peer in a corner of it.
    case pip
}

/// What a stream's picture is to look like: all that somebody may choose about it.
///
/// Lengths are luma samples of the canvas, which has the top layer's size; odd ones are rounded
/// down, and what would leave no picture is narrowed. `Layout+JSON.swift` has the written form.
public struct Layout: Hashable, Sendable {
    /// The order of those who are not placed by what they do.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// Who came first stands first.
        case joined
        /// By name, then by joining.
        case name
        /// By the place of the role in `roles`, then by joining.
        case role
    }

    /// Who is meant for the large tile.
    public enum Focus: Hashable, Sendable {
        /// A peer's id or, since ids differ from visit to visit, its name.
        case peer(String)
        case role(String)
    }

    /// Where something small stands on something large.
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        case topLeft = "top_left"
        case topRight = "top_right"
        case bottomLeft = "bottom_left"
        case bottomRight = "bottom_right"
        case centre = "center"
    }

    /// A picture over everything else.
    public struct Watermark: Hashable, Sendable {
        public var image: String
        public var anchor: Anchor
        /// 0 (unseen) to 1.
        public var opacity: Double
        /// A part of the canvas' width; its height follows from the image's shape.
        public var width: Double

        public init(
            image: String, anchor: Anchor = .topRight, opacity: Double = 0.8, width: Double = 0.12
        ) {
            self.image = image
            self.anchor = anchor
            self.opacity = opacity
            self.width = width
        }
    }

    public var name: LayoutName
    /// Whose tiles are shown; empty for everybody's.
    public var roles: [String]
    public var order: Order
    /// Tiles at a time, the one that counts the others included.
    public var tilesMaximum: Int
    /// Who is large in `speaker` and `pip`, and who is shown by `single`. Nil leaves it to who
    /// speaks.
    public var focus: Focus?
    /// How people's pictures fill their tiles. Shared screens are always letterboxed: text at
    /// their edges matters.
    public var fit: TileFit
    /// Background between neighbouring tiles.
    public var gap: Int
    /// Background around all tiles.
    public var margin: Int
    /// Of the corners of each picture.
    public var cornerRadius: Int
    public var background: RGB
    /// An image's address, nil for none. It covers the canvas.
    public var backgroundImage: String?
    public var watermark: Watermark?
    public var showsNames: Bool
    /// Whether the tile of who speaks has a border.
    public var marksSpeaker: Bool
    /// Where `pip` puts the small tile. `centre` is not offered: it would hide the other one.
    public var inset: Anchor
    /// How long tiles are on their way after a change.
    public var transition: Duration

    /// A grid of everybody, with names.
    public init(
        name: LayoutName = .grid, roles: [String] = [], order: Order = .joined,
        tilesMaximum: Int = Stage.tilesMaximum, focus: Focus? = nil, fit: TileFit = .crop,
        gap: Int = 0, margin: Int = 0, cornerRadius: Int = 0, background: RGB = .stage,
        backgroundImage: String? = nil, watermark: Watermark? = nil, showsNames: Bool = true,
        marksSpeaker: Bool = true, inset: Anchor = .bottomRight,
        transition: Duration = .milliseconds(300)
    ) {
        self.name = name
        self.roles = roles
        self.order = order
        self.tilesMaximum = tilesMaximum
        self.focus = focus
        self.fit = fit
        self.gap = gap
        self.margin = margin
        self.cornerRadius = cornerRadius
        self.background = background
        self.backgroundImage = backgroundImage
        self.watermark = watermark
        self.showsNames = showsNames
        self.marksSpeaker = marksSpeaker
        self.inset = inset
        self.transition = transition
    }

    /// The addresses of the images that it names.
    public var images: [String] { [backgroundImage, watermark?.image].compactMap { $0 } }
}

/// A colour as people write it: gamma-coded R'G'B'.
public struct RGB: Hashable, Sendable, CustomStringConvertible {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    /// A dark grey-blue.
    public static let stage = RGB(red: 22, green: 24, blue: 31)

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#rrggbb`; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "#"),
            let bytes = Hexadecimal.bytes(text.dropFirst()), bytes.count == 3
        else { return nil }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
    }

    /// `#rrggbb`.
    public var description: String { "#" + Hexadecimal.text([red, green, blue]) }
}
