/// Cells with gaps between them along one side of an area.
struct SeatLine {
    let start: Int
    let length: Int
    let cells: Int
    let gap: Int

    init(from start: Int = 0, length: Int, cells: Int, gap: Int) {
        self.start = start
        self.length = length.evenFloor
        self.cells = cells
        // Pictures keep at least half of the side.
        let widest = cells > 1 ? self.length / 2 / (cells - 1) : 0
        self.gap = min(max(0, gap), widest).evenFloor
    }

    private var pictureLength: Int { length - gap * (cells - 1) }
    var smallestCell: Int { (pictureLength / cells).evenFloor }

    /// Cell `index` of a line that has `count` of them. A full line spreads its edges, so that
    /// cells differ by at most two samples and fill the line; a shorter line is centred.
    func cell(_ index: Int, of count: Int) -> Range<Int> {
        if count == cells {
            let first = start + edge(index) + index * gap
            return first..<(first + edge(index + 1) - edge(index))
        }
        let used = smallestCell * count + gap * (count - 1)
        let first = start + ((length - used) / 2).evenFloor + index * (smallestCell + gap)
        return first..<(first + smallestCell)
    }

    private func edge(_ index: Int) -> Int { (pictureLength * index / cells).evenFloor }
}
