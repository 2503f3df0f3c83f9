public import MediaKernel

/// The rule that places tiles.
public enum LayoutName: String, Hashable, Sendable, CaseIterable {
    /// Equal tiles in rows.
    case grid
    /// The speaker large, the others in a strip.
    case speaker
    /// A shared screen large, the faces in a strip; a grid while no screen is shared.
    case screen
    /// One peer, or one peer of a role, alone.
    case single
    /// One peer or a shared screen large, another peer in a corner of it.
    case pip
}

/// How a stream's picture looks: everything that can be chosen about it.
///
/// Lengths are luma samples of the canvas, which has the top layer's size; odd lengths are rounded
/// down, and lengths that would leave no picture are reduced. `Layout+JSON.swift` has the written
/// form.
public struct Layout: Hashable, Sendable {
    /// The order of participants whose place does not depend on their activity.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// In the order of joining.
        case joined
        /// By name, then by joining.
        case name
        /// By the role's place in `roles`, then by joining.
        case role
    }

    /// The participant for the large tile.
    public enum Focus: Hashable, Sendable {
        /// A peer's id or, since ids differ from visit to visit, its name.
        case peer(String)
        case role(String)
    }

    /// The place of a small picture on a large one.
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
        /// A fraction of the canvas' width; its height follows from the image's shape.
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
    /// The roles whose tiles are shown; empty for all roles.
    public var roles: [String]
    public var order: Order
    /// The most tiles at a time, including the one that counts the others.
    public var tilesMaximum: Int
    /// The large participant of `speaker` and `pip`, and the only one of `single`. Nil chooses the
    /// active speaker.
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
    /// The address of the picture of people without one of their own; nil for their initials.
    public var defaultPicture: String?
    public var showsNames: Bool
    /// Whether the speaker's tile has a border.
    public var marksSpeaker: Bool
    /// Where `pip` puts the small tile. `centre` is not offered: it would hide the large picture.
    public var inset: Anchor
    /// How long tiles move after a change.
    public var transition: Duration

    /// A grid of all participants, with names.
    public init(
        name: LayoutName = .grid, roles: [String] = [], order: Order = .joined,
        tilesMaximum: Int = Stage.tilesMaximum, focus: Focus? = nil, fit: TileFit = .crop,
        gap: Int = 0, margin: Int = 0, cornerRadius: Int = 0, background: RGB = .stage,
        backgroundImage: String? = nil, watermark: Watermark? = nil, defaultPicture: String? = nil,
        showsNames: Bool = true,
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
        self.defaultPicture = defaultPicture
        self.showsNames = showsNames
        self.marksSpeaker = marksSpeaker
        self.inset = inset
        self.transition = transition
    }

    /// The addresses of the layout's images.
    public var images: [String] { largeImages + [defaultPicture].compactMap { $0 } }

    /// The uploaded ones among the layout's images.
    public var uploads: [UploadedPicture] { images.compactMap { UploadedPicture($0) } }

    /// Those among them that may be as large as the canvas.
    public var largeImages: [String] { [backgroundImage, watermark?.image].compactMap { $0 } }
}

/// A colour in gamma-coded R'G'B', as in `#rrggbb`.
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
