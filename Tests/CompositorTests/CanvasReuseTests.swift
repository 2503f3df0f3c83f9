import Codec
import Compositor
import MediaKernel
import Stage
import Testing

/// Partial painting must never show: each composition equals one painted from scratch.
@Suite struct CanvasReuseTests {
    private let canvas = Canvas(width: 320, height: 192)

    @Test func anUnchangedCompositionIsTheSamePicture() throws {
        let compositor = try Compositor(canvas: canvas)
        let tiles = [try tile(0, seed: 1), try tile(1, seed: 2)]
        let first = try compositor.compose(tiles: tiles)
        #expect(try compositor.compose(tiles: tiles) === first)
        #expect(
            try compositor.compose(tiles: tiles, dressing: Decorations(background: .white))
                !== first)
    }

    @Test func aPictureThatIsStillHeldNeverChanges() throws {
        let compositor = try Compositor(canvas: canvas)
        var held: [(VideoFrame, [UInt8])] = []
        for seed in 0..<20 {
            let picture = try compositor.compose(
                tiles: [try tile(0, seed: UInt8(seed)), try tile(1, seed: 7)])
            held.append((picture, bytes(picture)))
        }
        for (picture, content) in held { #expect(bytes(picture) == content) }
    }

    @Test func aCanvasIsUsedAgainOnceItIsFree() throws {
        let compositor = try Compositor(canvas: canvas)
        var seen: Set<UInt> = []
        for seed in 0..<20 {
            let picture = try compositor.compose(tiles: [try tile(0, seed: UInt8(seed))])
            seen.insert(picture.withPlanes { UInt(bitPattern: $0.y.bytes.baseAddress) })
        }
        #expect(seen.count == 1)
    }

    @Test func aWatermarkOverALetterboxsBarIsLaidOnOnce() throws {
        let compositor = try Compositor(canvas: canvas)
        let mark = Decorations.Watermark(
            picture: Self.still, anchor: .centre, opacity: 0.5, width: 0.8)
        let dressing = Decorations(watermark: mark)
        for seed in 0..<6 {
            var placed = try tile(0, seed: UInt8(seed))
            placed.frame = try self.picture(width: 24, height: 48, seed: UInt8(seed))
            placed.rectangle = Rectangle(x: 0, y: 0, width: 320, height: 192)
            placed.fit = .letterbox
            let picture = try compositor.compose(tiles: [placed], dressing: dressing)
            let fresh = try Compositor(canvas: canvas).compose(tiles: [placed], dressing: dressing)
            #expect(bytes(picture) == bytes(fresh), "picture \(seed)")
        }
    }

    @Test(arguments: [42, 7, 8] as [UInt64])
    func anyHistoryGivesWhatAFreshCompositorGives(seed: UInt64) throws {
        let compositor = try Compositor(canvas: canvas)
        var random = SeededRandom(seed: seed)
        var tiles: [PlacedFrame] = []
        var held: [VideoFrame] = []
        var dressing = Decorations()
        for _ in 0..<250 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: tiles = try layout(count: Int.random(in: 0...3, using: &random), &random)
            case 1: tiles.shuffle(using: &random)
            case 2 where !tiles.isEmpty:
                // Another shape, so that letterbox bars move.
                let index = Int.random(in: tiles.indices, using: &random)
                tiles[index].frame = try picture(
                    width: Int.random(in: 8...60, using: &random) * 2, height: 48,
                    seed: UInt8.random(in: 0...255, using: &random))
            case 3 where !tiles.isEmpty:
                tiles[0].rotation = FrameRotation.allCases.randomElement(using: &random) ?? .none
            case 4 where !tiles.isEmpty: tiles[0].frame = nil
            case 5 where !tiles.isEmpty:
                let index = Int.random(in: tiles.indices, using: &random)
                tiles[index].cornerRadius = Int.random(in: 0...40, using: &random)
                tiles[index].hasBorder = Bool.random(using: &random)
            case 6 where !tiles.isEmpty:
                let index = Int.random(in: tiles.indices, using: &random)
                tiles[index].label =
                    [nil, TileLabel(name: "Ann"), TileLabel(name: "", isMuted: true)]
                    .randomElement(using: &random) ?? nil
                tiles[index].opacity = [0, 1, 100, 255].randomElement(using: &random) ?? 255
            case 7: dressing = Self.dressings.randomElement(using: &random) ?? Decorations()
            default:
                for index in tiles.indices where Bool.random(using: &random) {
                    tiles[index].frame = try picture(
                        width: 64, height: 48, seed: UInt8.random(in: 0...255, using: &random))
                }
            }
            let picture = try compositor.compose(tiles: tiles, dressing: dressing)
            let fresh = try Compositor(canvas: canvas).compose(tiles: tiles, dressing: dressing)
            #expect(bytes(picture) == bytes(fresh))
            if Bool.random(using: &random) { held.append(picture) }
            if held.count > 8 { held.removeAll() }
        }
    }

    @Test func aScalerScalesAPictureOnce() throws {
        let scaler = try FrameScaler(width: 160, height: 96)
        let source = try picture(width: 320, height: 192, seed: 9)
        let scaled = try scaler.scale(source)
        #expect(scaled.width == 160 && scaled.height == 96)
        #expect(try scaler.scale(source) === scaled)
        #expect(try scaler.scale(scaled) === scaled)
        #expect(try scaler.scale(try picture(width: 320, height: 192, seed: 9)) !== scaled)
        let solid = try VideoFrame.solid(width: 322, height: 190, colour: .white)
        try scaler.scale(solid).withPlanes { planes in
            #expect(planes.y.bytes[0] == 235 && planes.y[159, 95] == 235)
            #expect(planes.u[79, 47] == 128 && planes.v[0, 0] == 128)
        }
    }

    // MARK: Pictures

    private static let still = StillPicture(
        width: 40, height: 30,
        pixels: (0..<1200).flatMap { (index: Int) -> [UInt8] in
            [200, UInt8(index % 256), 40, UInt8(index % 200)]
        })

    /// Watermarks across tiles and gaps, and backgrounds.
    private static let dressings = [
        Decorations(), Decorations(background: .white), Decorations(backgroundPicture: still),
        Decorations(watermark: .init(picture: still, anchor: .centre, opacity: 0.5, width: 0.8)),
        Decorations(
            backgroundPicture: still,
            watermark: .init(picture: still, anchor: .topRight, opacity: 1, width: 0.3)),
    ]

    private func layout(
        count: Int, _ random: inout SeededRandom
    ) throws -> [PlacedFrame] {
        let overlaps = Bool.random(using: &random)
        return try (0..<count).map { index in
            var placed = try tile(index, seed: UInt8(index))
            if overlaps { placed.rectangle.x = index * 40 }
            placed.fit = Bool.random(using: &random) ? .crop : .letterbox
            return placed
        }
    }

    private func tile(_ index: Int, seed: UInt8) throws -> PlacedFrame {
        PlacedFrame(
            rectangle: Rectangle(x: index * 104, y: 8, width: 100, height: 120), fit: .crop,
            frame: try picture(width: 64, height: 48, seed: seed),
            standIn: .peer(PeerID("p\(index)"), initialsOf: "P", name: nil, picture: nil))
    }

    private func picture(width: Int, height: Int, seed: UInt8) throws -> VideoFrame {
        try VideoFrame.make(width: width, height: height) { planes in
            for plane in [planes.y, planes.u, planes.v] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let value = UInt8(truncatingIfNeeded: x &* 5 &+ y &* 3) &+ seed
                        plane[x, y] = 16 + value / 2
                    }
                }
            }
        }
    }

    private func bytes(_ frame: VideoFrame) -> [UInt8] {
        frame.withPlanes { planes in
            var bytes: [UInt8] = []
            for plane in [planes.y, planes.u, planes.v] {
                for row in 0..<plane.height {
                    bytes += plane.bytes[row * plane.stride..<row * plane.stride + plane.width]
                }
            }
            return bytes
        }
    }
}
