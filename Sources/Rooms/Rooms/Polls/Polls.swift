import MediaKernel

/// The polls of a session, in the order of creation.
struct Polls: Hashable, Sendable {
    private var polls: [PollID: Poll] = [:]
    private var order: [PollID] = []

    /// - Throws: ``RoomError/unknownPoll(_:)``.
    func poll(_ id: PollID) throws(RoomError) -> Poll {
        try Check.identifier(id.rawValue, field: "poll_id")
        guard let poll = polls[id] else { throw .unknownPoll(id) }
        return poll
    }

    /// - Throws: ``RoomError/unknownPoll(_:)`` too if the role may not know the poll.
    func poll(_ id: PollID, visibleTo role: Role) throws(RoomError) -> Poll {
        let poll = try poll(id)
        guard role.sees(poll.info) else { throw .unknownPoll(id) }
        return poll
    }

    /// The starts and stops that a peer of the role has missed since then, and the answers to all
    /// running polls, which clients do not request when they are back.
    func events(missedBy role: Role, since: Instant) -> [RoomEvent] {
        guard role.readsPolls, !role.isHidden else { return [] }
        return all.flatMap { poll -> [RoomEvent] in
            var events: [RoomEvent] = []
            if poll.state == .started, let began = poll.began, began > since {
                events.append(.pollStarted(poll.info))
            }
            if poll.state == .started, poll.responseCount > 0 {
                events.append(.pollCounted(poll.id, poll.result(role.sight(on: poll.info))))
            }
            if let ended = poll.ended, ended > since { events.append(.pollStopped(poll.info)) }
            return events
        }
    }

    subscript(id: PollID) -> Poll? { polls[id] }

    var all: [Poll] { order.compactMap { polls[$0] } }

    var running: [Poll] { all.filter { $0.state == .started } }

    /// Changes a poll.
    mutating func change<Value>(
        _ id: PollID, _ body: (inout Poll) throws(RoomError) -> Value
    ) throws(RoomError) -> Value {
        guard polls[id] != nil else { throw .unknownPoll(id) }
        return try body(&polls[id]!)
    }

    /// Adds a poll; if there are too many, it replaces the oldest ended one, or else the oldest
    /// draft.
    mutating func add(_ poll: Poll) throws(RoomError) {
        if order.count >= RoomLimits.polls, !forgetOldest(.stopped), !forgetOldest(.created) {
            throw .tooManyPolls(maximum: RoomLimits.polls)
        }
        polls[poll.id] = poll
        order.append(poll.id)
    }

    /// The bytes that are left for answers to a poll. If these are few, ended polls are dropped,
    /// the oldest first.
    mutating func makeRoom(for poll: PollID) -> Int {
        while room < RoomLimits.pollHoldingBytes / 16, forgetOldest(.stopped, keeping: poll) {}
        return max(0, room)
    }

    private var room: Int {
        RoomLimits.pollHoldingBytes - polls.values.reduce(0) { $0 + $1.bytes }
    }

    private mutating func forgetOldest(_ state: PollInfo.State, keeping id: PollID? = nil) -> Bool {
        let oldest = order.firstIndex { $0 != id && polls[$0]?.state == state }
        guard let oldest else { return false }
        polls[order.remove(at: oldest)] = nil
        return true
    }

    mutating func audienceIs(_ count: Int) {
        for id in order { polls[id]?.audienceIs(count) }
    }

    /// Returns polls with unreported answers, and marks them as reported.
    mutating func takeNews() -> [Poll] {
        let news = all.filter(\.hasNews)
        for poll in news { polls[poll.id]?.hasNews = false }
        return news
    }
}
