import MediaKernel

/// A remote candidate to be checked from our one socket. RFC 8445 sect. 6.1.2.
///
/// All our candidates share that socket, so pairs with the same remote address would be the same
/// path: RFC 8445 sect. 6.1.2.4 prunes them to one. There is one component and one checklist,
/// hence nothing to freeze.
struct CandidatePair: Sendable {
    enum State: Hashable, Sendable {
        case waiting
        case inProgress
        case succeeded
        case failed(at: Instant)
    }

    var remote: ICECandidate
    /// The priority of our best candidate of the same family.
    var localPriority: UInt32
    var state = State.waiting
    /// Controlled: the other side nominated the pair before our own check of it succeeded.
    var isNominatedOnSuccess = false

    var address: TransportAddress { remote.address }
    var isFinished: Bool {
        switch state {
        case .waiting, .inProgress: return false
        case .succeeded, .failed: return true
        }
    }

    /// RFC 8445 sect. 6.1.2.3: both sides compute the same order.
    func priority(isControlling: Bool) -> UInt64 {
        let controlling = UInt64(isControlling ? localPriority : remote.priority)
        let controlled = UInt64(isControlling ? remote.priority : localPriority)
        return min(controlling, controlled) << 32 + 2 * max(controlling, controlled)
            + (controlling > controlled ? 1 : 0)
    }
}

/// The pairs in falling order of priority, and the triggered ones in order of arrival.
struct CheckList: Sendable {
    private(set) var pairs: [CandidatePair] = []
    private var triggered: [TransportAddress] = []

    func index(of address: TransportAddress) -> Int? {
        pairs.firstIndex { $0.address == address }
    }

    subscript(address: TransportAddress) -> CandidatePair? {
        index(of: address).map { pairs[$0] }
    }

    mutating func add(_ pair: CandidatePair, isControlling: Bool) {
        guard index(of: pair.address) == nil,
            pairs.count < ICELimits.remoteCandidatesMaximum
        else { return }
        pairs.append(pair)
        sort(isControlling: isControlling)
    }

    mutating func update(_ address: TransportAddress, _ change: (inout CandidatePair) -> Void) {
        guard let index = index(of: address) else { return }
        change(&pairs[index])
    }

    /// A role change alters the priorities.
    mutating func sort(isControlling: Bool) {
        // Ties keep their order: the index makes the sort stable.
        let keyed = pairs.enumerated().map {
            (index: $0.offset, key: $0.element.priority(isControlling: isControlling))
        }
        let order = keyed.sorted { $0.key != $1.key ? $0.key > $1.key : $0.index < $1.index }
        pairs = order.map { pairs[$0.index] }
    }

    /// Queues a pair to be checked before all others. RFC 8445 sect. 7.3.1.4.
    mutating func trigger(_ address: TransportAddress) {
        update(address) { $0.state = .waiting }
        if !triggered.contains(address) { triggered.append(address) }
    }

    var hasTriggered: Bool { !triggered.isEmpty }

    /// The next pair to check: a triggered one, else with `ordinary` the best waiting one.
    mutating func next(ordinary: Bool) -> CandidatePair? {
        while !triggered.isEmpty {
            if let pair = self[triggered.removeFirst()], pair.state == .waiting { return pair }
        }
        return ordinary ? pairs.first { $0.state == .waiting } : nil
    }

    var hasWaiting: Bool { pairs.contains { $0.state == .waiting } }
    var inProgressCount: Int { pairs.reduce(0) { $0 + ($1.state == .inProgress ? 1 : 0) } }
    var bestSucceeded: CandidatePair? { pairs.first { $0.state == .succeeded } }

    /// Whether a pair that ranks above this one may still succeed.
    func hasUnfinishedPair(above address: TransportAddress) -> Bool {
        pairs.prefix { $0.address != address }.contains { !$0.isFinished }
    }

    /// When the first failed pair has rested long enough.
    var nextRetry: Instant? {
        pairs.lazy.compactMap { pair -> Instant? in
            guard case .failed(let failure) = pair.state else { return nil }
            return failure + ICETiming.failedPairRest
        }.min()
    }

    mutating func retryRested(at now: Instant) {
        for index in pairs.indices {
            if case .failed(let failure) = pairs[index].state,
                failure + ICETiming.failedPairRest <= now
            {
                pairs[index].state = .waiting
            }
        }
    }

    /// Checks every pair again, because the selected path went silent.
    mutating func retryAll() {
        for index in pairs.indices where pairs[index].isFinished { pairs[index].state = .waiting }
    }

    mutating func removeAll() {
        pairs.removeAll()
        triggered.removeAll()
    }
}
