/// Values by their keys, in the order in which they came. What happens to one of them costs the same
/// however many there are.
struct ArrivalOrder<Key: Hashable, Value: Hashable>: Hashable {
    private struct Entry: Hashable {
        let key: Key
        var value: Value
    }

    /// With gaps where some were.
    private var entries: [Entry?] = []
    private var places: [Key: Int] = [:]

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }
    var keys: Dictionary<Key, Int>.Keys { places.keys }
    var values: [Value] { entries.compactMap { $0?.value } }

    subscript(key: Key) -> Value? { places[key].flatMap { entries[$0]?.value } }

    /// One that is there already keeps its place.
    ///
    /// - Returns: what was there.
    @discardableResult
    mutating func put(_ value: Value, for key: Key) -> Value? {
        guard let place = places[key] else {
            places[key] = entries.count
            entries.append(Entry(key: key, value: value))
            return nil
        }
        defer { entries[place] = Entry(key: key, value: value) }
        return entries[place]?.value
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        let gone = entries[place]?.value
        entries[place] = nil
        // Gaps cost no more than entries, all in all.
        guard entries.count > 2 * places.count + 8 else { return gone }
        entries.removeAll { $0 == nil }
        for (place, entry) in entries.enumerated() {
            if let entry { places[entry.key] = place }
        }
        return gone
    }
}
