/// Closes the holes that left-out elements make in a count, makes room for what is put in between, and
/// does no more: what is lost on the way stays a hole. For RTP sequence numbers and picture ids, unwrapped.
///
/// Elements may come out of order. One that was left out had no place and gets none; one that was
/// missing when its neighbours came has a place, even if nobody wants it any more.
struct NumberCompactor {
    /// Holes remembered: two seconds of a stream of which every second picture is left out.
    static let holesMaximum = 64

    /// Elements left out one after the other, or a place for something of our own before `first`.
    private struct Hole {
        var first: Int64
        var end: Int64
        /// How many were left out here; -1 for a place that was put in.
        var count: Int64
        /// How many were left out up to here, these included.
        var total: Int64
    }

    private var holes: [Hole] = []
    /// The first element of the source that has a place.
    private let first: Int64
    private let offset: Int64
    private var newest: Int64

    /// The element `first` gets the number `number`.
    init(first: Int64, as number: Int64) {
        self.first = first
        offset = number - first
        newest = first - 1
    }

    /// The number of an element; nil when it has no place: it was left out, or is older than
    /// what is remembered, or than the first.
    mutating func place(_ element: Int64) -> Int64? {
        newest = max(newest, element)
        return number(element)
    }

    /// Leaves an element out. Gives a number when it cannot be, since its place was kept: then
    /// something empty must fill it.
    mutating func leaveOut(_ element: Int64) -> Int64? {
        guard element > newest else { return number(element) }
        // What is missing between keeps its places.
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

    /// A place for something of our own right before an element that has none yet. Nil unless the
    /// element is the one after the newest: else the places before it are taken.
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
        // Before the oldest hole remembered; only known when none was forgotten.
        guard let oldest = holes.first else { return element + offset }
        guard oldest.total == oldest.count else { return nil }
        return element + offset
    }
}
