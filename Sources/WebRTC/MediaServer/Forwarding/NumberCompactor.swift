/// Renumbers a sequence to close the holes of dropped elements and make room for inserted ones.
/// Elements lost on the path stay holes. For RTP sequence numbers and picture ids, unwrapped.
///
/// Elements may arrive out of order. A dropped element has no number; an element that was missing
/// when its neighbours arrived keeps its number, even if it is no longer wanted.
struct NumberCompactor {
    /// Holes remembered: two seconds of a stream with every second picture dropped.
    static let holesMaximum = 64

    /// A run of dropped elements, or an inserted number before `first`.
    private struct Hole {
        var first: Int64
        var end: Int64
        /// How many elements were dropped here; -1 for an insertion.
        var count: Int64
        /// How many elements were dropped up to here, including these.
        var total: Int64
    }

    private var holes: [Hole] = []
    /// The first element of the source that has a number.
    private let first: Int64
    private let offset: Int64
    private var newest: Int64

    /// The element `first` gets the number `number`.
    init(first: Int64, as number: Int64) {
        self.first = first
        offset = number - first
        newest = first - 1
    }

    /// The number of an element; nil if it was dropped, is before the first, or is too old.
    mutating func place(_ element: Int64) -> Int64? {
        newest = max(newest, element)
        return number(element)
    }

    /// Drops an element. Returns a number if it was already reserved: then an empty packet must
    /// fill it.
    mutating func leaveOut(_ element: Int64) -> Int64? {
        guard element > newest else { return number(element) }
        // Missing elements in between keep their numbers.
        let isContinued =
            holes.last.map { $0.count > 0 && $0.end == element } ?? false && newest == element - 1
        newest = element
        if isContinued {
            holes[holes.count - 1].end += 1
            holes[holes.count - 1].count += 1
            holes[holes.count - 1].total += 1
        } else {
            add(1, at: element)
        }
        return nil
    }

    /// Inserts a number right before an element. Returns nil unless the element directly follows
    /// the newest: otherwise the numbers before it are taken.
    mutating func insert(before element: Int64) -> Int64? {
        guard element == newest + 1 else { return nil }
        let number = element + offset - (holes.last?.total ?? 0)
        add(-1, at: element)
        return number
    }

    private mutating func add(_ count: Int64, at element: Int64) {
        let total = holes.last?.total ?? 0
        if holes.count == Self.holesMaximum { holes.removeFirst(Self.holesMaximum / 2) }
        holes.append(
            Hole(
                first: element, end: element + max(count, 0), count: count, total: total + count))
    }

    private func number(_ element: Int64) -> Int64? {
        guard element >= first else { return nil }
        for hole in holes.reversed() {
            if element >= hole.end { return element + offset - hole.total }
            if element >= hole.first { return nil }
        }
        // The element is before the oldest hole. Its number is known only if no hole was forgotten.
        guard let oldest = holes.first else { return element + offset }
        guard oldest.total == oldest.count else { return nil }
        return element + offset
    }
}
