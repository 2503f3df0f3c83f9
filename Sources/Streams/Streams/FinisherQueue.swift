public import MediaKernel

/// Which finishers are at work and which wait for a core: the oldest streams first, one at least,
/// and more as long as cores are idle. So neither the streams on air nor each other are short of
/// what they need when a server finds many streams that the one before left.
public struct FinisherQueue: Sendable {
    /// One that was started so long ago shows in the average of what is idle.
    public static let settling: Duration = .seconds(8)
    /// What has to be left of a core for one more: a core on which nothing runs but the kernel is
    /// never idle altogether.
    public static let coreNeeded = 0.75

    /// Oldest first, as ids sort.
    public private(set) var waiting: [StreamID] = []
    private var startedAt: [StreamID: Instant] = [:]

    public init() {}

    public var atWork: Int { startedAt.count }

    /// A stream whose finisher is to be started. One that is in here already changes nothing.
    public mutating func add(_ id: StreamID) {
        guard startedAt[id] == nil, !waiting.contains(id) else { return }
        waiting.insert(id, at: waiting.firstIndex { id < $0 } ?? waiting.endIndex)
    }

    /// Its finisher has ended, or none is wanted any more.
    public mutating func remove(_ id: StreamID) {
        startedAt[id] = nil
        waiting.removeAll { $0 == id }
    }

    /// Takes out whose finishers are to be started now.
    ///
    /// - Parameters:
    ///   - idle: cores, on average; nil when it is not known.
    ///   - maximum: finishers at work.
    public mutating func take(idle: Double?, maximum: Int, at now: Instant) -> [StreamID] {
        var taken: [StreamID] = []
        while let first = waiting.first, atWork < maximum {
            let unseen = startedAt.values.count { now - $0 < Self.settling }
            let isIdle = (idle ?? 0) - Double(unseen) >= Self.coreNeeded
            guard atWork == 0 || isIdle else { break }
            waiting.removeFirst()
            startedAt[first] = now
            taken.append(first)
        }
        return taken
    }
}
