import MediaKernel
import Stage
import Testing

@Suite struct TileMotionTests {
    private let began = Instant.zero + .seconds(7)
    private let duration: Duration = .milliseconds(300)

    private func tile(_ peer: PeerID, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Tile {
        Tile(
            .participant(Participant(peer: peer, joinedOrder: 0)),
            in: Rectangle(x: x, y: y, width: width, height: height), fit: .crop)
    }

    private func motion(_ from: [Tile], _ to: [Tile]) -> TileMotion {
        TileMotion(from: from.map { MovingTile($0) }, to: to, at: began, lasting: duration)
    }

    @Test func whoStaysSlidesWithoutAJump() {
        let old = tile("a", 0, 0, 1280, 720)
        let new = tile("a", 640, 360, 320, 180)
        let motion = motion([old], [new])
        var last = old.rectangle
        for millisecond in stride(from: 0, through: 300, by: 10) {
            let moving = motion.tiles(at: began + .milliseconds(millisecond))
            #expect(moving.count == 1 && moving[0].opacity == 255)
            let place = moving[0].rectangle
            let numbers = [place.x, place.y, place.width, place.height]
            #expect(numbers.allSatisfy { $0.isMultiple(of: 2) })
            #expect(abs(place.x - last.x) <= 40 && abs(place.width - last.width) <= 60)
            last = place
        }
        #expect(motion.tiles(at: began).map(\.rectangle) == [old.rectangle])
        #expect(last == new.rectangle)
        #expect(motion.isOver(at: began + duration))
    }

    @Test func whoComesFadesInAndWhoGoesFadesOut() {
        let motion = motion([tile("old", 0, 0, 100, 100)], [tile("new", 200, 0, 100, 100)])
        var seen: [[UInt8]] = []
        for millisecond in stride(from: 0, to: 300, by: 33) {
            let moving = motion.tiles(at: began + .milliseconds(millisecond))
            #expect(moving.map(\.rectangle.x) == [0, 200])
            seen.append(moving.map(\.opacity))
        }
        #expect(seen[0] == [255, 0])
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0[0] > $1[0] && $0[1] < $1[1] })
        let rest = motion.tiles(at: began + duration)
        #expect(rest.map(\.opacity) == [255] && rest.map(\.tile.id) == [.person("new")])
    }

    /// If both were transparent, the ground would shine through. Places that the upper one leaves
    /// free must be covered.
    @Test(arguments: TileFit.allCases)
    func whoComesInSomebodysPlaceFadesInAboveThem(fit: TileFit) {
        var newcomer = tile("new", 0, 0, 200, 100)
        newcomer.fit = fit
        let motion = motion([tile("old", 100, 0, 100, 100)], [newcomer])
        #expect(motion.leavers.map(\.id) == [.person("old")])
        for millisecond in stride(from: 0, to: 300, by: 10) {
            let moving = motion.tiles(at: began + .milliseconds(millisecond))
            #expect(moving.map(\.tile.id) == [.person("old"), .person("new")])
            let above = Double(moving[1].opacity) / 255
            let ground = (1 - above) * (1 - Double(moving[0].opacity) / 255)
            #expect(ground <= (fit == .crop ? 0 : 0.1), "\(ground) at \(millisecond) ms")
        }
        let last = motion.tiles(at: began + .milliseconds(299))
        #expect((last[0].opacity == 255) == (fit == .crop) && last[1].opacity >= 254)
    }

    @Test func whoSlidesOverSomebodyDoesNotHideThem() {
        let motion = motion(
            [tile("a", 0, 0, 100, 100), tile("b", 200, 0, 100, 100)], [tile("b", 0, 0, 100, 100)])
        let moving = motion.tiles(at: began + .milliseconds(150))
        #expect(moving.map(\.opacity) == [128, 255])
    }

    @Test func aMotionInMotionGoesOnFromWhereItIs() {
        let first = motion([tile("a", 0, 0, 100, 100)], [tile("a", 400, 0, 100, 100)])
        let half = began + .milliseconds(150)
        let second = TileMotion(
            from: first.tiles(at: half), to: [tile("a", 0, 0, 100, 100)], at: half,
            lasting: duration)
        #expect(first.tiles(at: half)[0].rectangle.x == 200)
        #expect(second.tiles(at: half)[0].rectangle.x == 200)
        #expect(second.tiles(at: half + duration)[0].rectangle.x == 0)
    }

    @Test func noTimeAtAllIsACut() {
        let motion = TileMotion(
            from: [MovingTile(tile("a", 0, 0, 100, 100))], to: [tile("b", 2, 0, 100, 100)],
            at: began, lasting: .zero)
        #expect(motion.isOver(at: began))
        #expect(motion.tiles(at: began).map(\.tile.id) == [.person("b")])
    }
}
