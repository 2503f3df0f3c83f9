import Codec
import Compositor
import MediaKernel
import Stage
import Testing

@Suite struct CompositorTests {
    private let red = Colour(red: 255, green: 0, blue: 0)
    private let green = Colour(red: 0, green: 255, blue: 0)
    private let blue = Colour(red: 0, green: 0, blue: 255)
    private let canvas = Canvas(width: 640, height: 360)

    private func solid(_ width: Int, _ height: Int, _ colour: Colour) throws -> VideoFrame {
        try VideoFrame.solid(width: width, height: height, colour: colour)
    }

    private func colour(_ frame: VideoFrame, _ x: Int, _ y: Int) -> Colour {
        frame.withPlanes {
            Colour(
                luma: $0.y[x, y], blueDifference: $0.u[x / 2, y / 2],
                redDifference: $0.v[x / 2, y / 2])
        }
    }

    private func isNear(_ a: Colour, _ b: Colour, _ tolerance: Int = 2) -> Bool {
        abs(Int(a.luma) - Int(b.luma)) <= tolerance
            && abs(Int(a.blueDifference) - Int(b.blueDifference)) <= tolerance
            && abs(Int(a.redDifference) - Int(b.redDifference)) <= tolerance
    }

    private func half(_ side: Int, _ frame: VideoFrame?, _ fit: TileFit = .crop) -> PlacedFrame {
        PlacedFrame(
            rectangle: Rectangle(x: side * 320, y: 0, width: 320, height: 360), fit: fit,
            frame: frame,
            standIn: .peer(
                PeerID("peer-\(side)"), initialsOf: "Peer \(side)", name: nil, picture: nil))
    }

    @Test(arguments: Layout.Anchor.allCases)
    func aWatermarkLiesWhereItIsWanted(anchor: Layout.Anchor) throws {
        let still = StillPicture(
            width: 64, height: 36,
            pixels: (0..<64 * 36).flatMap { _ in [0, 255, 0, 255] as [UInt8] })
        let picture = try Compositor(canvas: canvas).compose(
            tiles: [half(0, try solid(320, 360, red)), half(1, try solid(320, 360, red))],
            dressing: Decorations(
                watermark: .init(picture: still, anchor: anchor, opacity: 1, width: 0.1)))
        // A thirtieth of the height away from the edges.
        let corners: [Layout.Anchor: (x: Int, y: Int)] = [
            .topLeft: (12, 12), .topRight: (564, 12), .bottomLeft: (12, 312),
            .bottomRight: (564, 312), .centre: (288, 162),
        ]
        for (other, corner) in corners {
            let inside = [(2, 2), (61, 2), (2, 33), (61, 33)].map {
                colour(picture, corner.x + $0.0, corner.y + $0.1)
            }
            let wanted = other == anchor ? green : red
            #expect(inside.allSatisfy { isNear($0, wanted, 4) }, "\(anchor), at \(other)")
        }
    }

    @Test func eachTileFillsItsRectangleAndNothingElse() throws {
        let compositor = try Compositor(canvas: canvas)
        let inner = Rectangle(x: 100, y: 60, width: 200, height: 120)
        let picture = try compositor.compose(
            tiles: [
                PlacedFrame(
                    rectangle: inner, fit: .crop, frame: try solid(320, 180, red))
            ], dressing: Decorations(background: blue))
        for (x, y) in [(100, 60), (299, 179), (100, 179), (299, 60), (200, 120)] {
            #expect(colour(picture, x, y) == red, "\(x),\(y)")
        }
        for (x, y) in [(99, 60), (300, 100), (100, 59), (100, 180), (0, 0), (639, 359)] {
            #expect(colour(picture, x, y) == blue, "\(x),\(y)")
        }
    }

    @Test func aPictureLiesOverACompositionAsOpaqueAsItIsToBe() throws {
        let compositor = try Compositor(canvas: canvas)
        #expect(compositor.latestFrame == nil)
        let lower = try compositor.compose(tiles: [], dressing: Decorations(background: .black))
        #expect(compositor.latestFrame === lower)
        let upper = try solid(640, 360, .white)
        for (opacity, luma) in [(0, 16), (128, 126), (255, 235)] as [(UInt8, Int)] {
            let picture = try compositor.lay(upper, opacity: opacity, over: lower)
            for (x, y) in [(0, 0), (639, 359), (320, 180)] {
                #expect(abs(Int(colour(picture, x, y).luma) - luma) <= 1)
            }
        }
        #expect(colour(lower, 320, 180) == .black)
    }

    @Test func aBackgroundPictureLiesOverTheColour() throws {
        let compositor = try Compositor(canvas: canvas)
        // Green on the left and transparent on the right.
        let picture = StillPicture(
            width: 2, height: 1, pixels: [0, 255, 0, 255, 0, 0, 0, 0])
        for background in [red, blue] {
            let composed = try compositor.compose(
                tiles: [],
                dressing: Decorations(background: background, backgroundPicture: picture))
            #expect(isNear(colour(composed, 20, 180), green))
            #expect(isNear(colour(composed, 620, 180), background))
        }
    }

    /// The label is as far from a round corner as necessary, and correspondingly shorter.
    @Test(arguments: [0, 60]) func aLongNameHasALabelOnARoundTileToo(cornerRadius: Int) throws {
        let canvas = Canvas(width: 1280, height: 720)
        let rectangle = Rectangle(x: 0, y: 0, width: 256, height: 144)
        func composed(_ label: TileLabel?) throws -> [UInt8] {
            var tile = PlacedFrame(
                rectangle: rectangle, fit: .crop, frame: try solid(256, 144, green))
            tile.cornerRadius = cornerRadius
            tile.label = label
            let picture = try Compositor(canvas: canvas).compose(
                tiles: [tile], dressing: Decorations(background: .black))
            return picture.withPlanes { planes in
                (0..<144).flatMap { y in (0..<256).map { x in planes.y[x, y] } }
            }
        }
        let name = String(repeating: "Maximiliane ", count: 4)
        #expect(try composed(TileLabel(name: name)) != composed(nil))
    }

    @Test func letterboxShowsBarsAndCropDoesNot() throws {
        let compositor = try Compositor(canvas: canvas)
        // 16:9 in a tile of 320x360: 320x180 in its middle.
        let boxed = try compositor.compose(
            tiles: [half(0, try solid(640, 360, green), .letterbox)],
            dressing: Decorations(background: .black))
        #expect(colour(boxed, 160, 89) == .black)
        #expect(colour(boxed, 160, 91) == green)
        #expect(colour(boxed, 160, 268) == green)
        #expect(colour(boxed, 160, 271) == .black)
        let cropped = try compositor.compose(
            tiles: [half(0, try solid(640, 360, green), .crop)],
            dressing: Decorations(background: .black))
        for y in [0, 89, 180, 359] { #expect(colour(cropped, 160, y) == green) }
    }

    @Test func cropKeepsTheMiddle() throws {
        // A picture whose outer thirds are red and whose middle third is green.
        let source = try VideoFrame.make(width: 960, height: 360) { planes in
            for (plane, value) in [
                (planes.y, \Colour.luma), (planes.u, \.blueDifference), (planes.v, \.redDifference),
            ] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let isMiddle = x >= plane.width / 3 && x < plane.width * 2 / 3
                        plane[x, y] = (isMiddle ? green : red)[keyPath: value]
                    }
                }
            }
        }
        let compositor = try Compositor(canvas: canvas)
        let picture = try compositor.compose(tiles: [half(0, source)])
        for x in [2, 160, 317] { #expect(isNear(colour(picture, x, 180), green)) }
    }

    @Test(arguments: FrameRotation.allCases)
    func aTurnedPictureStandsUpright(rotation: FrameRotation) throws {
        // Stored so that, after the signalled rotation, the upright picture is red above and green
        // below.
        let sides: (Int, Int) =
            rotation == .clockwise90 || rotation == .clockwise270 ? (64, 128) : (128, 64)
        let source = try VideoFrame.make(width: sides.0, height: sides.1) { planes in
            for (plane, value) in [
                (planes.y, \Colour.luma), (planes.u, \.blueDifference), (planes.v, \.redDifference),
            ] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let isTop =
                            switch rotation {
                            case .none: y < plane.height / 2
                            case .clockwise90: x < plane.width / 2
                            case .clockwise180: y >= plane.height / 2
                            case .clockwise270: x >= plane.width / 2
                            }
                        plane[x, y] = (isTop ? red : green)[keyPath: value]
                    }
                }
            }
        }
        let compositor = try Compositor(canvas: Canvas(width: 320, height: 160))
        let picture = try compositor.compose(
            tiles: [
                PlacedFrame(
                    rectangle: Rectangle(x: 0, y: 0, width: 320, height: 160), fit: .letterbox,
                    frame: source, rotation: rotation)
            ])
        for x in [4, 160, 315] {
            #expect(isNear(colour(picture, x, 10), red), "\(x)")
            #expect(isNear(colour(picture, x, 150), green), "\(x)")
        }
    }

    @Test func aPeerWithoutVideoHasItsOwnColour() throws {
        let compositor = try Compositor(canvas: canvas)
        let picture = try compositor.compose(tiles: [half(0, nil), half(1, nil)])
        let colours = (0..<2).map { SlateRenderer.colour(of: "", named: "Peer \($0)") }
        #expect(isNear(colour(picture, 10, 10), colours[0]))
        #expect(isNear(colour(picture, 330, 10), colours[1]))
        #expect(colours[0] != colours[1])
    }

    /// Also if the border is wider than the corner radius.
    @Test(arguments: [0, 2, 4, 6, 16])
    func allFourCornersOfATileAreAlike(radius: Int) throws {
        let compositor = try Compositor(canvas: Canvas(width: 1920, height: 1080))
        let place = Rectangle(x: 100, y: 60, width: 320, height: 180)
        var tile = PlacedFrame(
            rectangle: place, fit: .crop, frame: try solid(320, 180, red), hasBorder: true,
            cornerRadius: radius)
        for turn in 0..<2 {
            // The second time the tile is painted over itself.
            if turn == 1 { tile.frame = try solid(320, 180, green) }
            let picture = try compositor.compose(
                tiles: [tile], dressing: Decorations(background: .black))
            for y in 0..<20 {
                for x in 0..<20 {
                    let corner = [
                        (place.x + x, place.y + y), (place.maximumX - 1 - x, place.y + y),
                        (place.x + x, place.maximumY - 1 - y),
                        (place.maximumX - 1 - x, place.maximumY - 1 - y),
                    ].map { colour(picture, $0.0, $0.1) }
                    #expect(corner.allSatisfy { isNear($0, corner[0]) }, "\(x),\(y)")
                }
            }
            #expect((colour(picture, 100, 60).luma < 30) == (radius >= 4))
        }
    }

    @Test func tilesOutsideTheCanvasAreLeftOut() throws {
        let compositor = try Compositor(canvas: canvas)
        let picture = try compositor.compose(
            tiles: [
                PlacedFrame(
                    rectangle: Rectangle(x: 600, y: 0, width: 100, height: 100), fit: .crop,
                    frame: try solid(64, 64, red)),
                PlacedFrame(
                    rectangle: Rectangle(x: -2, y: 0, width: 100, height: 100), fit: .crop,
                    frame: try solid(64, 64, red)),
            ], dressing: Decorations(background: .black))
        #expect(colour(picture, 620, 50) == .black)
        #expect(colour(picture, 50, 50) == .black)
    }

    @Test func picturesOfAnySizeAreTaken() throws {
        let compositor = try Compositor(canvas: canvas)
        for (width, height) in [(1, 1), (2, 2), (17, 3), (161, 91), (1920, 1080), (90, 1280)] {
            for fit in TileFit.allCases {
                for rotation in FrameRotation.allCases {
                    _ = try compositor.compose(
                        tiles: [
                            PlacedFrame(
                                rectangle: Rectangle(x: 2, y: 2, width: 316, height: 178),
                                fit: fit, frame: try solid(width, height, green),
                                rotation: rotation)
                        ])
                }
            }
        }
    }
}
