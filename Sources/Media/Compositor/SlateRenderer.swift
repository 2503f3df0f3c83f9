public import Codec
public import MediaKernel
internal import Stage

/// Draws the pictures that replace video: a slate for an empty room, and a placeholder for a peer
/// whose camera is off.
///
/// Each is drawn once and kept. On a machine without fonts they have no text. Not thread-safe: one
/// owner at a time.
public final class SlateRenderer {
    /// The colour of an empty stage: a dark grey-blue.
    public static let background = Colour(
        red: backgroundInk.red, green: backgroundInk.green, blue: backgroundInk.blue)
    /// The most pictures that are kept; beyond it the oldest is forgotten. A stage has 25 tiles at
    /// most, and a change of layout needs each in two sizes.
    static let cachedMaximum = 64
    /// The most characters of a name that are drawn.
    static let charactersMaximum = 80

    private static let backgroundInk = DrawingColour(red: 22, green: 24, blue: 31)
    private static let product = "Roomcast"

    private enum Key: Hashable {
        case slate(width: Int, height: Int, room: String, message: String)
        case placeholder(
            width: Int, height: Int, peer: PeerID, initialsOf: String, name: String?,
            picture: UInt64?)
        case others(width: Int, height: Int, count: Int)
    }

    private var cache: [Key: VideoFrame] = [:]
    private var order: [Key] = []

    public init() {}

    /// The picture of a room without anyone to show.
    ///
    /// - Throws: `.pictureSize`, `.outOfMemory`.
    public func slate(
        width: Int, height: Int, room: String,
        message: String = "Waiting for participants"
    ) throws(CodecError) -> VideoFrame {
        let key = Key.slate(width: width, height: height, room: room, message: message)
        if let frame = cache[key] { return frame }
        let surface = try DrawingSurface(width: width, height: height)
        surface.fill(Self.backgroundInk)
        let (w, h) = (Double(width), Double(height))
        let unit = min(w, h)
        let accent = DrawingColour(red: 94, green: 148, blue: 255)
        surface.fillRectangle(
            x: w / 2 - unit * 0.05, y: h * 0.36, width: unit * 0.1, height: max(1, unit * 0.008),
            accent)
        surface.write(
            Self.product, centredAt: h * 0.28, size: unit * 0.085, isBold: true,
            DrawingColour(red: 240, green: 242, blue: 247))
        surface.write(
            Self.line(room), centredAt: h * 0.46, size: unit * 0.06, isBold: false,
            DrawingColour(red: 214, green: 218, blue: 228))
        surface.write(
            Self.line(message), centredAt: h * 0.58, size: unit * 0.042, isBold: false,
            DrawingColour(red: 150, green: 157, blue: 173))
        return keep(try surface.makeFrame(), key)
    }

    /// The picture of a tile without video, in the tile's size.
    ///
    /// - Throws: `.pictureSize`, `.outOfMemory`.
    func standIn(_ what: StandIn, width: Int, height: Int) throws(CodecError) -> VideoFrame {
        switch what {
        case .peer(let peer, let named, let name, let picture):
            return try placeholder(
                width: width, height: height, peer: peer, initialsOf: named, name: name,
                picture: picture)
        case .others(let count):
            return try others(count, width: width, height: height)
        }
    }

    /// The picture of a peer without video: its picture or else its initials on its own colour, and
    /// below them its name unless that is nil.
    ///
    /// - Throws: `.pictureSize`, `.outOfMemory`.
    func placeholder(
        width: Int, height: Int, peer: PeerID, initialsOf named: String, name: String?,
        picture: StillPicture? = nil
    ) throws(CodecError) -> VideoFrame {
        let key = Key.placeholder(
            width: width, height: height, peer: peer, initialsOf: named, name: name,
            picture: picture?.number)
        if let frame = cache[key] { return frame }
        let surface = try DrawingSurface(width: width, height: height)
        surface.fill(DrawingColour(of: peer, named: named))
        let (w, h) = (Double(width), Double(height))
        let radius = min(w, h) * (name == nil ? 0.24 : 0.22)
        let middle = h * (name == nil ? 0.45 : 0.44)
        if let picture {
            surface.draw(
                picture, x: w / 2 - radius, y: middle - radius, width: 2 * radius,
                height: 2 * radius, isRound: true)
        } else {
            surface.fillCircle(
                x: w / 2, y: middle, radius: radius, .disc(of: peer, named: named))
            surface.write(
                Self.initials(of: Self.line(named)), centredAt: middle, size: radius * 0.85,
                isBold: true, .white)
        }
        if let name {
            surface.write(
                Self.line(name), centredAt: middle + radius + (h - middle - radius) * 0.45,
                size: max(8, min(w, h) * 0.075), isBold: false, .white)
        }
        return keep(try surface.makeFrame(), key)
    }

    private func others(
        _ count: Int, width: Int, height: Int
    ) throws(CodecError) -> VideoFrame {
        let key = Key.others(width: width, height: height, count: count)
        if let frame = cache[key] { return frame }
        let surface = try DrawingSurface(width: width, height: height)
        surface.fill(DrawingColour(red: 44, green: 48, blue: 60))
        surface.write(
            "+\(count)", centredAt: Double(height) / 2, size: Double(min(width, height)) * 0.3,
            isBold: false, DrawingColour(red: 232, green: 235, blue: 242))
        return keep(try surface.makeFrame(), key)
    }

    /// The flat colour of a person's placeholder. The same person always has the same.
    public static func colour(of peer: PeerID, named name: String) -> Colour {
        let ink = DrawingColour(of: peer, named: name)
        return Colour(red: ink.red, green: ink.green, blue: ink.blue)
    }

    private func keep(_ frame: VideoFrame, _ key: Key) -> VideoFrame {
        if order.count >= Self.cachedMaximum { cache[order.removeFirst()] = nil }
        cache[key] = frame
        order.append(key)
        return frame
    }

    /// A name as one line of limited length without control characters. Characters that are newer
    /// than this program's tables stay: the fonts decide.
    static func line(_ text: String) -> String {
        let visible = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return String(String(String.UnicodeScalarView(visible)).prefix(charactersMaximum))
    }

    /// The first letters of the first and the last word.
    static func initials(of name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let first = words.first?.first else { return "" }
        guard words.count > 1, let last = words.last?.first else { return first.uppercased() }
        return first.uppercased() + last.uppercased()
    }
}
