import MediaKernel
import Stage
import Testing

@Suite struct TileFitTests {
    private func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Rectangle {
        Rectangle(x: x, y: y, width: width, height: height)
    }

    @Test func equalShapesAreShownWholeBothWays() {
        for fit in TileFit.allCases {
            let placement = fit.placement(
                sourceWidth: 640, sourceHeight: 360, in: box(320, 180, 1280, 720))
            #expect(placement?.source == box(0, 0, 640, 360))
            #expect(placement?.destination == box(320, 180, 1280, 720))
        }
    }

    @Test func cropCutsBothSidesEqually() {
        let tile = box(0, 0, 640, 360)
        let cases: [(Int, Int, Rectangle)] = [
            (640, 480, box(0, 60, 640, 360)),
            (360, 640, box(0, 218, 360, 202)),
            (1280, 360, box(320, 0, 640, 360)),
            (1000, 1000, box(0, 218, 1000, 562)),
            // A line or column that makes a side odd is left out.
            (641, 481, box(0, 60, 640, 360)),
        ]
        for (width, height, source) in cases {
            let placement = TileFit.crop.placement(
                sourceWidth: width, sourceHeight: height, in: tile)
            #expect(placement?.source == source, "\(width)x\(height)")
            #expect(placement?.destination == tile)
        }
    }

    @Test func letterboxShowsEverythingInTheMiddle() {
        let tile = box(640, 360, 640, 360)
        let cases: [(Int, Int, Rectangle)] = [
            (640, 480, box(640 + 80, 360, 480, 360)),
            (360, 640, box(640 + 218, 360, 202, 360)),
            (1280, 360, box(640, 360 + 90, 640, 180)),
            (4000, 2, box(640, 360 + 178, 640, 2)),
        ]
        for (width, height, destination) in cases {
            let placement = TileFit.letterbox.placement(
                sourceWidth: width, sourceHeight: height, in: tile)
            #expect(placement?.source == box(0, 0, width, height))
            #expect(placement?.destination == destination, "\(width)x\(height)")
        }
    }

    @Test func everyPlacementIsEvenInsideAndKeepsTheShape() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<4000 {
            let width = Int.random(in: 2...4096, using: &random)
            let height = Int.random(in: 2...4096, using: &random)
            let tile = box(
                Int.random(in: 0...500, using: &random) * 2,
                Int.random(in: 0...500, using: &random) * 2,
                Int.random(in: 1...960, using: &random) * 2,
                Int.random(in: 1...960, using: &random) * 2)
            for fit in TileFit.allCases {
                guard
                    let placement = fit.placement(
                        sourceWidth: width, sourceHeight: height, in: tile)
                else {
                    Issue.record("no placement for \(width)x\(height) in \(tile)")
                    continue
                }
                let (source, destination) = (placement.source, placement.destination)
                for area in [source, destination] {
                    let numbers = [area.x, area.y, area.width, area.height]
                    #expect(numbers.allSatisfy { $0.isMultiple(of: 2) })
                    #expect(area.width >= 2 && area.height >= 2)
                }
                #expect(box(0, 0, width, height).contains(source))
                #expect(tile.contains(destination))
                // Across the side that was rounded, at most a sample and a half of error.
                let wanted = Double(destination.width) * Double(source.height)
                let got = Double(destination.height) * Double(source.width)
                let unit = Double(
                    max(source.width, source.height, destination.width, destination.height))
                #expect(abs(wanted - got) <= 2 * unit)
            }
        }
    }

    @Test func picturesWithoutTwoSamplesHaveNoPlace() {
        for fit in TileFit.allCases {
            #expect(fit.placement(sourceWidth: 1, sourceHeight: 9, in: box(0, 0, 8, 8)) == nil)
            #expect(fit.placement(sourceWidth: 0, sourceHeight: 0, in: box(0, 0, 8, 8)) == nil)
            #expect(fit.placement(sourceWidth: 8, sourceHeight: 8, in: box(0, 0, 0, 8)) == nil)
        }
    }
}
