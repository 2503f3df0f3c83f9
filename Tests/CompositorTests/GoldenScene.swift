import Codec
import Compositor
import MediaKernel
import Stage

/// A room of synthetic people in a layout, the same on every machine.
struct GoldenScene {
    var layout: Layout
    var count: Int
    var screens = 0
    var canvas = Canvas(width: 640, height: 360)
    var hasBackground = false
    var hasWatermark = false
    var mutesSome = true

    init(
        _ layout: Layout, _ count: Int, screens: Int = 0,
        on canvas: Canvas = Canvas(width: 640, height: 360), hasBackground: Bool = false,
        hasWatermark: Bool = false
    ) {
        self.layout = layout
        self.count = count
        self.screens = screens
        self.canvas = canvas
        self.hasBackground = hasBackground
        self.hasWatermark = hasWatermark
    }

    private static let names = [
        "Ada Lovelace", "Émile Zola", "דוד בן־גוריון", "Вера Павлова", "山田 太郎",
        "Zoë 🎉 van Dijk",
        "ليلى العلي", "A name that is far too long for any tile that it could ever stand on",
        "Jo", "Ναταλία", "김민수", "अनिता देसाई",
    ]

    func render() throws -> VideoFrame {
        let people = (0..<count).map { index in
            Participant(
                peer: PeerID("p\(index)"), name: Self.names[index % Self.names.count],
                joinedOrder: index)
        }
        let shared = (0..<screens).map { index in
            Participant(
                peer: PeerID("p\(index)"), track: "s", name: "Ada Lovelace", joinedOrder: index,
                isScreen: true)
        }
        let tiles = layout.tiles(for: people + shared, on: canvas, speaker: "p1")
        let frames = try tiles.map { try self.placed($0) }
        var dressing = Decorations()
        if hasBackground { dressing.backgroundPicture = Self.gradient }
        if hasWatermark {
            dressing.watermark = .init(
                picture: Self.ring, anchor: .topRight, opacity: 0.8, width: 0.14)
        }
        return try Compositor(canvas: canvas).compose(tiles: frames, dressing: dressing)
    }

    private func placed(_ tile: Tile) throws -> PlacedFrame {
        var placed = PlacedFrame(
            rectangle: tile.rectangle, fit: tile.fit, frame: nil,
            cornerRadius: layout.cornerRadius)
        guard let one = tile.participant else {
            if case .others(let hidden) = tile.content { placed.standIn = .others(hidden) }
            return placed
        }
        let index = one.joinedOrder
        placed.standIn = .peer(
            one.peer, initialsOf: one.name, name: layout.showsNames ? nil : one.name,
            picture: index % 8 == 7 ? Self.gradient : nil)
        if index % 4 != 3 || one.isScreen {
            placed.frame = try one.isScreen ? Self.desktop.get() : Self.cameras.get()[index]
        }
        if layout.showsNames {
            placed.label = TileLabel(
                name: one.name, isMuted: mutesSome && index % 3 == 2 && !one.isScreen)
        }
        placed.hasBorder = layout.marksSpeaker && one.peer == "p1"
        return placed
    }

    // MARK: Sources

    /// Painted once: all scenes together show some two thousand.
    private static let cameras = Result { try (0..<25).map { try camera($0) } }

    private static let desktop = Result { try paintedDesktop() }

    /// A head and shoulders in front of a wall, in its own colours; every fifth is a phone's.
    private static func camera(_ index: Int) throws -> VideoFrame {
        let (width, height) = index % 5 == 4 ? (180, 320) : (320, 180)
        let wall = hue(index * 67, 90)
        let skin = hue(index * 67 + 150, 200)
        return try painted(width, height) { x, y in
            let dx = Double(x - width / 2) / Double(height)
            let dy = Double(y) / Double(height)
            let isHead = dx * dx + (dy - 0.42) * (dy - 0.42) < 0.035
            let isBody = dx * dx / 0.09 + (dy - 1.02) * (dy - 1.02) / 0.12 < 1
            return isHead || isBody ? skin : wall
        }
    }

    private static func paintedDesktop() throws -> VideoFrame {
        let window = Colour(red: 245, green: 246, blue: 248)
        let bar = Colour(red: 52, green: 101, blue: 164)
        let ink = Colour(red: 60, green: 64, blue: 72)
        return try painted(640, 400) { x, y in
            if y < 40 { return bar }
            let isLine = (y / 20).isMultiple(of: 2) && x > 40 && x < 600 - (y * 7) % 300
            return isLine && y % 20 < 8 ? ink : window
        }
    }

    private static func hue(_ degrees: Int, _ value: Int) -> Colour {
        func channel(_ offset: Int) -> UInt8 {
            let distance = abs((degrees + offset) % 360 - 180)
            return UInt8(min(255, value * (80 + distance * 100 / 180) / 180))
        }
        return Colour(red: channel(0), green: channel(120), blue: channel(240))
    }

    private static func painted(
        _ width: Int, _ height: Int, _ colour: (Int, Int) -> Colour
    ) throws -> VideoFrame {
        try VideoFrame.make(width: width, height: height) { planes in
            for y in 0..<height {
                for x in 0..<width { planes.y[x, y] = colour(x, y).luma }
            }
            for y in 0..<height / 2 {
                for x in 0..<width / 2 {
                    let here = colour(x * 2, y * 2)
                    planes.u[x, y] = here.blueDifference
                    planes.v[x, y] = here.redDifference
                }
            }
        }
    }

    private static let gradient = still(64, 36) { x, y in
        (UInt8(40 + x * 2), UInt8(60 + y * 3), 140, 255)
    }

    private static let ring = still(96, 96) { x, y in
        let (dx, dy) = (Double(x) - 47.5, Double(y) - 47.5)
        let distance = (dx * dx + dy * dy).squareRoot()
        return (255, 255, 255, distance > 30 && distance < 46 ? 255 : 0)
    }

    private static func still(
        _ width: Int, _ height: Int, _ colour: (Int, Int) -> (UInt8, UInt8, UInt8, UInt8)
    ) -> StillPicture {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue, alpha) = colour(x, y)
                pixels += [blue, green, red, alpha]
            }
        }
        return StillPicture(width: width, height: height, pixels: pixels)
    }
}
