import MediaKernel
import Stage
import Testing

@Suite struct GridTests {
    private static let canvases = [
        Canvas(width: 1280, height: 720), Canvas(width: 854, height: 480),
        Canvas(width: 640, height: 360), Canvas(width: 1920, height: 1080),
        Canvas(width: 720, height: 1280), Canvas(width: 360, height: 640),
        Canvas(width: 720, height: 720), Canvas(width: 192, height: 144),
    ]

    private func area(of canvas: Canvas) -> Rectangle {
        Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
    }

    @Test func rowsHaveTheAgreedLengths() {
        let rows: [[Int]] = [
            [1], [2], [2, 1], [2, 2], [3, 2], [3, 3], [3, 3, 1], [3, 3, 2], [3, 3, 3],
            [4, 4, 2], [4, 4, 3], [4, 4, 4], [4, 4, 4, 1], [4, 4, 4, 2], [4, 4, 4, 3],
            [4, 4, 4, 4], [5, 5, 5, 2], [5, 5, 5, 3], [5, 5, 5, 4], [5, 5, 5, 5],
            [5, 5, 5, 5, 1], [5, 5, 5, 5, 2], [5, 5, 5, 5, 3], [5, 5, 5, 5, 4], [5, 5, 5, 5, 5],
        ]
        for (index, expected) in rows.enumerated() {
            for canvas in [Canvas(width: 1280, height: 720), Canvas(width: 720, height: 720)] {
                let tiles = gridRectangles(count: index + 1, in: area(of: canvas))
                #expect(rowLengths(tiles) == expected, "\(index + 1) on \(canvas)")
            }
        }
    }

    @Test func aPortraitCanvasStacks() {
        let canvas = Canvas(width: 720, height: 1280)
        let expected: [Int: [Int]] = [
            1: [1], 2: [1, 1], 3: [2, 1], 4: [2, 2], 5: [2, 2, 1], 6: [2, 2, 2], 7: [3, 3, 1],
            10: [3, 3, 3, 1], 12: [3, 3, 3, 3], 17: [4, 4, 4, 4, 1], 25: [5, 5, 5, 5, 5],
        ]
        for (count, rows) in expected {
            #expect(
                rowLengths(gridRectangles(count: count, in: area(of: canvas))) == rows, "\(count)")
        }
    }

    private func rowLengths(_ rectangles: [Rectangle]) -> [Int] {
        var lengths: [Int] = []
        var y: Int?
        for rectangle in rectangles {
            if rectangle.y != y { lengths.append(0) }
            y = rectangle.y
            lengths[lengths.count - 1] += 1
        }
        return lengths
    }

    @Test func tilesAreEvenInsideAndApart() {
        for canvas in Self.canvases {
            let whole = Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
            for count in 1...25 {
                for gap in [0, 1, 2, 7, 8, 100_000] {
                    let tiles = gridRectangles(count: count, in: area(of: canvas), gap: gap)
                    #expect(tiles.count == count)
                    for (index, tile) in tiles.enumerated() {
                        let numbers = [tile.x, tile.y, tile.width, tile.height]
                        #expect(numbers.allSatisfy { $0.isMultiple(of: 2) && $0 >= 0 })
                        #expect(tile.width >= 2 && tile.height >= 2)
                        #expect(whole.contains(tile))
                        #expect(!tiles.dropFirst(index + 1).contains { $0.intersects(tile) })
                    }
                }
            }
        }
    }

    @Test func fullRowsCoverTheCanvas() {
        for canvas in Self.canvases {
            for count in [1, 4, 9, 16, 25] {
                let area = gridRectangles(count: count, in: area(of: canvas))
                    .reduce(0) { $0 + $1.width * $1.height }
                #expect(area == canvas.width * canvas.height, "\(count) on \(canvas)")
            }
        }
    }

    @Test func theLastRowIsCentred() {
        for canvas in Self.canvases {
            for count in 3...25 {
                let tiles = gridRectangles(count: count, in: area(of: canvas), gap: 4)
                guard let last = tiles.last else { continue }
                let row = tiles.filter { $0.y == last.y }
                let left = row[0].x
                let right = canvas.width - last.maximumX
                #expect(abs(left - right) <= 2, "\(count) on \(canvas)")
            }
        }
    }

    @Test func neighboursAreOneGapApart() {
        let tiles = gridRectangles(
            count: 6, in: area(of: Canvas(width: 1280, height: 720)), gap: 8)
        #expect(tiles[1].x - tiles[0].maximumX == 8)
        #expect(tiles[2].x - tiles[1].maximumX == 8)
        #expect(tiles[3].y - tiles[0].maximumY == 8)
        #expect(tiles[0].x == 0 && tiles[2].maximumX == 1280)
    }

    @Test func theDemoGridIsWhereOneExpectsIt() {
        let tiles = gridRectangles(count: 3, in: area(of: Canvas(width: 1280, height: 720)))
        #expect(
            tiles == [
                Rectangle(x: 0, y: 0, width: 640, height: 360),
                Rectangle(x: 640, y: 0, width: 640, height: 360),
                Rectangle(x: 320, y: 360, width: 640, height: 360),
            ])
    }

    @Test func anAreaWithinTheCanvasIsFilledWhereItIs() {
        let area = Rectangle(x: 20, y: 10, width: 640, height: 360)
        for count in 1...25 {
            let tiles = gridRectangles(count: count, in: area, gap: 6)
            #expect(tiles.count == count && tiles.allSatisfy { area.contains($0) })
        }
        #expect(gridRectangles(count: 1, in: area) == [area])
    }

    @Test func nobodyAndNoRoomGiveNoRectangles() {
        #expect(gridRectangles(count: 0, in: area(of: Canvas(width: 1280, height: 720))).isEmpty)
        #expect(gridRectangles(count: 25, in: area(of: Canvas(width: 8, height: 8))).isEmpty)
        #expect(gridRectangles(count: 1, in: area(of: Canvas(width: -4, height: 0))).isEmpty)
    }
}
