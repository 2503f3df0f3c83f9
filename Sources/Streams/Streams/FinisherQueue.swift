public import MediaKernel

/// Decides which finishers run and which wait for a core. The oldest streams go first; at least one
/// finisher runs, and more while cores are idle. So neither live streams nor other finishers run
/// short of CPU when a server finds many streams that its predecessor left.
public struct FinisherQueue: Sendable {
    /// A finisher that has run this long shows in the average of idle cores.
    public static let settling: Duration = .seconds(8)
    /// The idle share of a core needed for one more finisher: even a core that runs only the kernel
    /// is never entirely idle.
    public static let coreNeeded = 0.75

    /// Oldest first, as ids sort.
    public private(set) var waiting: [StreamID] = []
    private var startedAt: [StreamID: Instant] = [:]

    public init() {}

    public var atWork: Int { startedAt.count }

    /// Adds a stream whose finisher is to be started. Adding it twice changes nothing.
    public mutating func add(_ id: StreamID) {
        guard startedAt[id] == nil, !waiting.contains(id) else { return }
        waiting.insert(id, at: waiting.firstIndex { id < $0 } ?? waiting.endIndex)
    }

    /// The stream's finisher has ended or is no longer wanted.
    public mutating func remove(_ id: StreamID) {
        startedAt[id] = nil
        waiting.removeAll { $0 == id }
    }

    /// Removes and returns the streams whose finishers are to be started now.
    ///
    /// - Parameters:
    ///   - idle: idle cores on average; nil if unknown.
    ///   - maximum: the most finishers that may run.
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
