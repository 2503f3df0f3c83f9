import MediaKernel

/// When date ranges came into a playlist and left it: a delta update leaves out the old ones and
/// names those that have gone. Sect. 6.2.5.1.
struct DateRangeHistory: Sendable {
    private var added: [String: Instant] = [:]
    private var removed: [(id: String, time: Instant)] = []

    /// - Parameters:
    ///   - ranges: all of the playlist.
    ///   - boundary: how long removed ones are remembered.
    mutating func note(_ ranges: [DateRange], at now: Instant, keeping boundary: Duration) {
        if ranges.isEmpty && added.isEmpty && removed.isEmpty { return }
        let present = Set(ranges.map(\.id))
        for id in present where added[id] == nil { added[id] = now }
        for id in added.keys.sorted() where !present.contains(id) {
            added[id] = nil
            removed.append((id, now))
        }
        removed.removeAll { $0.time + boundary < now }
    }

    func recent(
        at now: Instant, within boundary: Duration
    ) -> (added: Set<String>, removed: [String]) {
        let new = added.filter { $0.value + boundary >= now }
        return (Set(new.keys), removed.filter { $0.time + boundary >= now }.map(\.id))
    }
}
