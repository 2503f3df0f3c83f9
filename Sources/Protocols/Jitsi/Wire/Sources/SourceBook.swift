/// All sources of a conference, by name and in the order in which they came.
struct SourceBook: Hashable {
    private(set) var sources: [ConferenceSource] = []
    private var places: [SourceName: Int] = [:]
    private var owners: [UInt32: SourceName] = [:]

    subscript(name: SourceName) -> ConferenceSource? { places[name].map { sources[$0] } }

    /// Sources that are there already, by name, get their new streams.
    ///
    /// - Returns: how many were left out: their streams are another source's, or there are too many.
    mutating func add(_ list: SourceList) -> Int {
        var left = 0
        for source in list.sources {
            let ssrcs = [source.ssrc] + (source.repairSSRC.map { [$0] } ?? [])
            guard ssrcs.allSatisfy({ owners[$0] == nil || owners[$0] == source.name }),
                places[source.name] != nil || sources.count < JitsiLimits.sources
            else {
                left += 1
                continue
            }
            if let place = places[source.name] {
                forget(sources[place])
                sources[place] = source
            } else {
                places[source.name] = sources.count
                sources.append(source)
            }
            for ssrc in ssrcs { owners[ssrc] = source.name }
        }
        return left
    }

    /// Removes sources that have these names and streams. A name whose stream has changed meanwhile
    /// stays.
    mutating func remove(_ list: SourceList) {
        var gone: Set<SourceName> = []
        for source in list.sources where self[source.name]?.ssrc == source.ssrc {
            gone.insert(source.name)
        }
        remove { gone.contains($0.name) }
    }

    /// Removes what a member has sent.
    mutating func remove(owner: String) { remove { $0.owner == owner } }

    private mutating func remove(_ isGone: (ConferenceSource) -> Bool) {
        let kept = sources.filter { !isGone($0) }
        guard kept.count < sources.count else { return }
        for source in sources where isGone(source) { forget(source) }
        sources = kept
        places = Dictionary(
            uniqueKeysWithValues: kept.enumerated().map { ($0.element.name, $0.offset) })
    }

    private mutating func forget(_ source: ConferenceSource) {
        owners[source.ssrc] = nil
        if let repair = source.repairSSRC { owners[repair] = nil }
    }
}
