public import MediaKernel

/// Polls and quizzes. Peers that may write polls make, start and stop them; peers that may read or
/// write them see started ones, and answer if their role is among the voters.
extension Room {
    // MARK: - Making, starting, stopping

    /// A peer made a poll, or changed the settings of one that has not started.
    ///
    /// - Parameter id: nil for a random one.
    /// - Returns: the poll's id.
    public mutating func pollSet(
        _ id: PollID?, _ settings: PollSettings, by peer: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollID {
        try peers.require(.pollWrite, of: peer)
        if let id { try Check.identifier(id.rawValue, field: "poll_id") }
        try Check.bytes(settings.title, field: "title", maximum: RoomLimits.pollTextBytes)
        try Check.number(settings.duration, 0...RoomLimits.pollSeconds, field: "duration")
        try policy.checkVisible(settings.voters)
        try policy.checkVisible(settings.viewers)
        try peers.spendFanOut(of: peer, at: now)
        if let id, polls[id] != nil {
            try polls.change(id) { poll throws(RoomError) in try poll.change(settings, by: peer) }
            return id
        }
        let made = id ?? PollID(Hexadecimal.identifier(using: &random))
        try polls.add(Poll(PollInfo(made, settings, by: peer, wall: wall)))
        return made
    }

    /// A peer set the questions of a poll that has not started, replacing all earlier ones.
    ///
    /// - Returns: the number of questions.
    public mutating func pollQuestionsSet(
        _ questions: [PollQuestion], of id: PollID, by peer: PeerID, at now: Instant
    ) throws(RoomError) -> Int {
        try peers.require(.pollWrite, of: peer)
        _ = try polls.poll(id)
        try peers.spendFanOut(of: peer, at: now)
        try polls.change(id) { poll throws(RoomError) in try poll.set(questions, by: peer) }
        return questions.count
    }

    /// A peer started a poll. All peers that may read polls are told, including itself.
    public mutating func pollStarted(
        _ id: PollID, by peer: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        try peers.require(.pollWrite, of: peer)
        _ = try polls.poll(id)
        try peers.spendFanOut(of: peer, at: now)
        let audience = peers.visibleCount
        let info = try polls.change(id) { poll throws(RoomError) in
            try poll.start(by: peer, audience: audience, at: now, wall: wall)
            return poll.info
        }
        effects.tell(peers.pollReaders, .pollStarted(info))
        return info
    }

    /// A peer stopped a poll: later answers do not count. All peers that may read polls are told.
    public mutating func pollStopped(
        _ id: PollID, by peer: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        try peers.require(.pollWrite, of: peer)
        _ = try polls.poll(id)
        try peers.spendFanOut(of: peer, at: now)
        return try stop(id, by: peer, at: now, wall: wall)
    }

    private mutating func stop(
        _ id: PollID, by peer: PeerID?, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        let info = try polls.change(id) { poll throws(RoomError) in
            try poll.stop(by: peer, at: now, wall: wall)
            return poll.info
        }
        effects.tell(peers.pollReaders, .pollStopped(info))
        return info
    }

    // MARK: - Answering

    /// A peer answered questions of a running poll. Each answer counts or is refused by itself; a
    /// second answer to a question replaces the first. ``handleTimeout(at:)`` tells others.
    ///
    /// - Throws: errors that concern all answers, and the first refusal if none counts.
    public mutating func pollAnswered(
        _ id: PollID, _ submissions: [PollSubmission], by peer: PeerID, at now: Instant
    ) throws(RoomError) -> [PollVerdict] {
        let (reader, role) = try peers.pollReader(peer)
        let poll = try polls.poll(id, visibleTo: role).info
        let voters = poll.settings.voters
        guard voters.isEmpty || voters.contains(role.name) else {
            throw .mayNotAnswer(id, role: role.name)
        }
        try peers.spendFanOut(of: peer, at: now)
        let room = polls.makeRoom(for: id)
        let name = Hexadecimal.identifier(using: &random)
        let verdicts = try polls.change(id) { poll throws(RoomError) in
            try poll.answer(submissions, by: reader, at: now, room: room, name: name)
        }
        if let refusal = verdicts.first?.refusal, verdicts.allSatisfy({ $0.refusal != nil }) {
            throw refusal
        }
        return verdicts
    }

    // MARK: - Reading

    /// The polls as a peer may see them.
    public func polls(for peer: PeerID) throws(RoomError) -> VisiblePolls {
        let (reader, role) = try peers.pollReader(peer)
        return VisiblePolls(polls: polls, reader: reader, role: role)
    }

    /// A page of all answers from `index` on, and whether it is the last. While a quiz runs, only
    /// peers that may write polls may see it.
    public mutating func pollResponses(
        of id: PollID, from index: Int?, count: Int?, by peer: PeerID, at now: Instant
    ) throws(RoomError) -> (responses: [PollResponse], isLast: Bool) {
        let role = try peers.pollReader(peer).role
        let poll = try polls.poll(id, visibleTo: role)
        let isQuizRunning = poll.info.settings.kind == .quiz && poll.state == .started
        guard role.sight(on: poll.info) != .turnout,
            role.permissions.pollWrite || !isQuizRunning
        else { throw .mayNotSeeAnswers(id, role: role.name) }
        try peers.spendFanOut(of: peer, at: now)
        let page = Page(
            from: index, count: count, maximum: RoomLimits.pollPage, of: poll.responseCount)
        return (poll.responses(page.range), page.isLast)
    }

    /// The standings of an ended poll.
    ///
    /// - Parameter question: the only one that counts, by its number from 1; nil for all.
    public mutating func pollLeaderboard(
        of id: PollID, question: Int?, by peer: PeerID, at now: Instant
    ) throws(RoomError) -> PollLeaderboard {
        let poll = try polls.poll(id, visibleTo: peers.pollReader(peer).role)
        guard poll.state == .stopped else { throw .pollState(id, poll.state) }
        guard !poll.info.settings.isAnonymous else { throw .pollAnonymous(id) }
        if let question {
            try Check.number(question, 1...poll.questions.count, field: "question")
        }
        try peers.spendFanOut(of: peer, at: now)
        guard question == nil else { return poll.leaderboard(of: question) }
        return try polls.change(id) { poll throws(RoomError) in poll.finalLeaderboard() }
    }

    // MARK: - Time

    /// Stops the polls whose time is over, and reports the answers since the last call.
    mutating func handlePollTimeout(at now: Instant) {
        for poll in polls.running {
            guard let deadline = poll.deadline, deadline <= now,
                let startedAt = poll.info.startedAt
            else { continue }
            // It ended at its deadline, however late this is noticed; but it is only announced now,
            // and peers that were lost in between have missed it.
            let wall = startedAt + .seconds(poll.info.settings.duration)
            _ = try? stop(poll.id, by: nil, at: now, wall: wall)
        }
        let news = polls.takeNews()
        guard !news.isEmpty else { return }
        let readers = peers.pollReaders
        for poll in news {
            let seeing = Dictionary(grouping: readers) { reader in
                peers[reader].flatMap { policy.role($0.role) }?.sight(on: poll.info)
            }
            for sight in PollSight.allCases {
                guard let readers = seeing[sight] else { continue }
                effects.tell(readers, .pollCounted(poll.id, poll.result(sight)))
            }
        }
    }
}
