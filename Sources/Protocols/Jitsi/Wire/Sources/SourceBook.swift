/// All sources of a conference, by name and in the order in which they came.
struct SourceBook: Hashable {
    private var entries = ArrivalOrder<SourceName, ConferenceSource>()
    private var owners: [UInt32: SourceName] = [:]
    /// By owner, in the order in which they came.
    private var names: [String: [SourceName]] = [:]

    var sources: [ConferenceSource] { entries.values }

    subscript(name: SourceName) -> ConferenceSource? { entries[name] }

    func sources(of owner: String) -> [ConferenceSource] {
        (names[owner] ?? []).compactMap { entries[$0] }
    }

    /// Sources that are there already, by name, get their new streams.
    ///
    /// - Returns: how many were left out: their streams are another source's, or there are too many.
    mutating func add(_ list: SourceList) -> Int {
        var left = 0
        for source in list.sources {
            let isKnown = entries[source.name] != nil
            guard Self.ssrcs(of: source).allSatisfy({ [nil, source.name].contains(owners[$0]) }),
                isKnown || entries.count < JitsiLimits.sources
            else {
                left += 1
                continue
            }
            if let before = entries.put(source, for: source.name) { forget(before) }
            if !isKnown { names[source.owner, default: []].append(source.name) }
            for ssrc in Self.ssrcs(of: source) { owners[ssrc] = source.name }
        }
        return left
    }

    /// Removes sources that have these names and streams. A name whose stream has changed meanwhile
    /// stays.
    mutating func remove(_ list: SourceList) {
        for source in list.sources where self[source.name]?.ssrc == source.ssrc {
            remove(source.name)
            names[source.owner]?.removeAll { $0 == source.name }
        }
    }

    /// Removes what a member has sent.
    mutating func remove(owner: String) {
        for name in names.removeValue(forKey: owner) ?? [] { remove(name) }
    }

    private mutating func remove(_ name: SourceName) {
        if let gone = entries.remove(name) { forget(gone) }
    }

    private mutating func forget(_ source: ConferenceSource) {
        for ssrc in Self.ssrcs(of: source) { owners[ssrc] = nil }
    }

    private static func ssrcs(of source: ConferenceSource) -> [UInt32] {
        [source.ssrc] + (source.repairSSRC.map { [$0] } ?? [])
    }
}
