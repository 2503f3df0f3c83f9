import MediaKernel
import Stage
import Testing

/// The places of peers in every layout.
@Suite struct LayoutTests {
    static let canvases = [
        Canvas(width: 1280, height: 720), Canvas(width: 854, height: 480),
        Canvas(width: 640, height: 360), Canvas(width: 720, height: 1280),
        Canvas(width: 720, height: 720), Canvas(width: 192, height: 144),
    ]
    private let landscape = Canvas(width: 1280, height: 720)

    private func person(_ order: Int, role: String = "guest", name: String = "") -> Participant {
        Participant(
            peer: PeerID("p\(order)"), track: TrackID("v\(order)"), name: name,
            joinedOrder: order, role: role)
    }

    /// - Parameter started: the order in which the screens were shared.
    private func screen(_ order: Int, started: Int = 0) -> Participant {
        Participant(
            peer: PeerID("p\(order)"), track: TrackID("s\(order)"), joinedOrder: order,
            role: "guest", isScreen: true, startedOrder: started)
    }

    private func people(_ count: Int) -> [Participant] { (0..<count).map { person($0) } }

    /// The tracks in the tiles' order; "+N" for the tile that counts.
    private func shown(_ tiles: [Tile]) -> [String] {
        tiles.map { tile in
            switch tile.content {
            case .participant(let one): one.track?.rawValue ?? "-"
            case .others(let count): "+\(count)"
            }
        }
    }

    // MARK: Rules for every layout

    @Test(arguments: LayoutName.allCases)
    func tilesAreEvenInsideAndApart(name: LayoutName) {
        for canvas in Self.canvases {
            let whole = Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
            for count in 1...30 {
                for (gap, margin) in [(0, 0), (7, 3), (8, 16), (400, 400)] {
                    for screens in 0...2 {
                        let layout = Layout(name: name, gap: gap, margin: margin)
                        let cast = people(count) + (0..<screens).map { screen($0) }
                        let tiles = layout.tiles(for: cast, on: canvas, speaker: "p2")
                        #expect(!tiles.isEmpty && tiles.count <= tilesMaximum)
                        for (index, tile) in tiles.enumerated() {
                            let place = tile.rectangle
                            let numbers = [place.x, place.y, place.width, place.height]
                            #expect(numbers.allSatisfy { $0.isMultiple(of: 2) && $0 >= 0 })
                            #expect(place.width >= 2 && place.height >= 2)
                            #expect(whole.contains(place))
                            let later = tiles.dropFirst(index + 1)
                            if name != .pip {
                                #expect(!later.contains { $0.rectangle.intersects(place) })
                            }
                        }
                        #expect(Set(tiles.map(\.id)).count == tiles.count)
                    }
                }
            }
        }
    }

    /// The focused peer may have a camera, a screen, or both.
    @Test(arguments: LayoutName.allCases)
    func nobodyIsSeenTwiceWhoeverIsAskedFor(name: LayoutName) {
        let focuses: [Layout.Focus] = [.peer("p0"), .peer("p1"), .peer("p9"), .role("guest")]
        for cast in [
            people(3), people(3) + [screen(9)], people(3) + [screen(1), screen(9)], [screen(9)],
        ] {
            for focus in focuses {
                for speaker: PeerID? in [nil, "p1", "p9"] {
                    let tiles = Layout(name: name, focus: focus)
                        .tiles(for: cast, on: landscape, speaker: speaker)
                    #expect(Set(tiles.map(\.id)).count == tiles.count, "\(focus) \(cast)")
                }
            }
        }
    }

    @Test(arguments: LayoutName.allCases)
    func equalRoomsLookEqual(name: LayoutName) {
        let cast = people(7) + [screen(1)]
        let layout = Layout(name: name)
        let tiles = layout.tiles(for: cast, on: landscape, speaker: "p3")
        for turn in cast.indices {
            let turned = Array(cast[turn...] + cast[..<turn])
            #expect(layout.tiles(for: turned, on: landscape, speaker: "p3") == tiles)
        }
    }

    @Test(arguments: LayoutName.allCases)
    func nobodyGivesNoTiles(name: LayoutName) {
        #expect(Layout(name: name).tiles(for: [], on: landscape).isEmpty)
        let hidden = Layout(name: name, roles: ["host"])
        #expect(hidden.tiles(for: people(3), on: landscape).isEmpty)
        #expect(Layout(name: name).tiles(for: people(2), on: Canvas(width: 0, height: 2)).isEmpty)
    }

    // MARK: Who is seen

    @Test func theMaximumCountsTheOthers() {
        let rows: [(maximum: Int, people: Int, speaker: PeerID?, shown: [String])] = [
            (4, 4, nil, ["v0", "v1", "v2", "v3"]),
            (4, 5, nil, ["v0", "v1", "v2", "+2"]),
            (4, 9, "p1", ["v0", "v1", "v2", "+6"]),
            (4, 9, "p7", ["v0", "v1", "v7", "+6"]),
            (2, 9, "p7", ["v7", "+8"]),
            (1, 9, nil, ["v0"]),
            (1, 9, "p4", ["v4"]),
        ]
        for row in rows {
            let tiles = Layout(tilesMaximum: row.maximum)
                .tiles(for: people(row.people), on: landscape, speaker: row.speaker)
            #expect(shown(tiles) == row.shown, "\(row)")
        }
        let all = Layout().tiles(for: people(40), on: landscape)
        #expect(shown(all).last == "+16" && all.count == 25)
    }

    @Test func rolesAreFilteredAndOrdered() {
        let cast = [
            person(0, role: "guest", name: "Zoe"), person(1, role: "host", name: "Bob"),
            person(2, role: "viewer", name: "Ann"), person(3, role: "host", name: "Ann"),
        ]
        func order(_ layout: Layout) -> [String] { shown(layout.tiles(for: cast, on: landscape)) }
        #expect(order(Layout()) == ["v0", "v1", "v2", "v3"])
        #expect(order(Layout(roles: ["host", "guest"])) == ["v0", "v1", "v3"])
        #expect(order(Layout(roles: ["host", "guest"], order: .role)) == ["v1", "v3", "v0"])
        #expect(order(Layout(order: .name)) == ["v2", "v3", "v1", "v0"])
        #expect(order(Layout(order: .role)) == ["v0", "v1", "v2", "v3"])
    }

    @Test func screensAreNeverCut() {
        for name in LayoutName.allCases {
            let tiles = Layout(name: name, fit: .crop)
                .tiles(for: people(2) + [screen(1)], on: landscape)
            for tile in tiles {
                #expect(tile.fit == (tile.participant?.isScreen == true ? .letterbox : .crop))
            }
        }
    }

    // MARK: Large and strip

    @Test func aSharedScreenIsLargeWithoutBeingAskedFor() {
        for name in [LayoutName.grid, .speaker, .screen] {
            let tiles = Layout(name: name)
                .tiles(for: people(3) + [screen(1)], on: landscape, speaker: "p2")
            #expect(shown(tiles) == ["s1", "v0", "v1", "v2"])
            #expect(tiles[0].rectangle == Rectangle(x: 0, y: 0, width: 1024, height: 720))
        }
        let calm = Layout(name: .screen).tiles(for: people(3), on: landscape)
        #expect(calm == Layout(name: .grid).tiles(for: people(3), on: landscape))
    }

    /// Regardless of the order of joining, and of the layout's order.
    @Test func theScreenThatWasSharedLastIsLarge() {
        let screens = [screen(0, started: 3), screen(1, started: 9), screen(2, started: 4)]
        let cast = people(2) + screens
        for name in [LayoutName.grid, .speaker, .screen] {
            for order in Layout.Order.allCases {
                let tiles = Layout(name: name, order: order).tiles(for: cast, on: landscape)
                #expect(shown(tiles) == ["s1", "s2", "s0", "v0", "v1"])
            }
        }
        let inset = Layout(name: .pip).tiles(for: cast, on: landscape, speaker: "p0")
        #expect(shown(inset) == ["s1", "v0"])
    }

    @Test func theSpeakerIsLargeAndTheOthersKeepTheirOrder() {
        let rows: [(layout: Layout, speaker: PeerID?, shown: [String])] = [
            (Layout(name: .speaker), nil, ["v0", "v1", "v2", "v3"]),
            (Layout(name: .speaker), "p2", ["v2", "v0", "v1", "v3"]),
            (Layout(name: .speaker), "gone", ["v0", "v1", "v2", "v3"]),
            (Layout(name: .speaker, focus: .peer("p3")), "p2", ["v3", "v0", "v1", "v2"]),
            (Layout(name: .speaker, focus: .peer("gone")), "p2", ["v2", "v0", "v1", "v3"]),
            (Layout(name: .speaker, tilesMaximum: 3), "p3", ["v3", "v0", "+2"]),
            (Layout(name: .speaker, tilesMaximum: 1), "p3", ["v3"]),
        ]
        for row in rows {
            let tiles = row.layout.tiles(for: people(4), on: landscape, speaker: row.speaker)
            #expect(shown(tiles) == row.shown, "\(row.layout.focus as Any) \(row.shown)")
        }
        let many = Layout(name: .speaker).tiles(for: people(12), on: landscape, speaker: "p9")
        #expect(shown(many) == ["v9", "v0", "v1", "v2", "v3", "+7"])
        let alone = Layout(name: .speaker).tiles(for: people(1), on: landscape)
        #expect(alone[0].rectangle == Rectangle(x: 0, y: 0, width: 1280, height: 720))
    }

    @Test func theStripIsBesideALandscapeAndBelowTheOthers() {
        let rows: [(Canvas, large: Rectangle, first: Rectangle)] = [
            (
                landscape, Rectangle(x: 0, y: 0, width: 1024, height: 720),
                Rectangle(x: 1024, y: 216, width: 256, height: 144)
            ),
            (
                Canvas(width: 720, height: 1280), Rectangle(x: 0, y: 0, width: 720, height: 1040),
                Rectangle(x: 180, y: 1040, width: 180, height: 240)
            ),
            (
                Canvas(width: 1080, height: 1080), Rectangle(x: 0, y: 0, width: 1080, height: 918),
                Rectangle(x: 324, y: 918, width: 216, height: 162)
            ),
        ]
        for (canvas, large, first) in rows {
            let tiles = Layout(name: .speaker).tiles(for: people(3), on: canvas)
            #expect(tiles[0].rectangle == large)
            #expect(tiles[1].rectangle == first)
        }
    }

    // MARK: Single and picture in picture

    @Test func singleShowsWhoWasAskedForAndNobodyElse() {
        let cast = [
            person(0, role: "guest"), person(1, role: "host", name: "Bob"),
            person(2, role: "host"), screen(0),
        ]
        let rows: [(focus: Layout.Focus?, speaker: PeerID?, shown: [String])] = [
            (.peer("p2"), nil, ["v2"]), (.peer("Bob"), "p0", ["v1"]), (.peer("p0"), nil, ["v0"]),
            (.peer("gone"), "p1", []), (.role("host"), nil, ["v1"]),
            (.role("host"), "p2", ["v2"]), (.role("nobody"), nil, []),
            (nil, nil, ["v0"]), (nil, "p2", ["v2"]),
        ]
        for row in rows {
            let tiles = Layout(name: .single, focus: row.focus)
                .tiles(for: cast, on: landscape, speaker: row.speaker)
            #expect(shown(tiles) == row.shown, "\(row)")
        }
    }

    @Test func aSmallTileStandsInTheChosenCorner() {
        let rows: [(Layout.Anchor, Int, Int)] = [
            (.topLeft, 24, 24), (.topRight, 936, 24), (.bottomLeft, 24, 516),
            (.bottomRight, 936, 516),
        ]
        for (anchor, x, y) in rows {
            let tiles = Layout(name: .pip, inset: anchor).tiles(for: people(2), on: landscape)
            #expect(tiles[0].rectangle == Rectangle(x: 0, y: 0, width: 1280, height: 720))
            #expect(tiles[1].rectangle == Rectangle(x: x, y: y, width: 320, height: 180))
        }
    }

    @Test func theSmallTileShowsWhoSpeaks() {
        let rows: [(cast: [Participant], focus: Layout.Focus?, PeerID?, shown: [String])] = [
            (people(3), nil, nil, ["v0", "v1"]), (people(3), nil, "p2", ["v0", "v2"]),
            (people(3), nil, "p0", ["v0", "v1"]), (people(3), .peer("p2"), nil, ["v2", "v0"]),
            (people(3) + [screen(0)], nil, "p2", ["s0", "v2"]),
            (people(3) + [screen(0)], .peer("p1"), "p2", ["s0", "v1"]),
            // A peer that only shares a screen is already large.
            (people(3) + [screen(9)], .peer("p9"), "p2", ["s9", "v2"]),
            (people(1), nil, nil, ["v0"]),
        ]
        for (cast, focus, speaker, expected) in rows {
            let tiles = Layout(name: .pip, focus: focus)
                .tiles(for: cast, on: landscape, speaker: speaker)
            #expect(shown(tiles) == expected)
        }
    }
}
