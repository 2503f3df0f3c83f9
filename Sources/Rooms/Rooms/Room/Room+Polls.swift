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
        try require(.pollWrite, of: peer)
        if let id { try Check.identifier(id.rawValue, field: "poll_id") }
        try Check.bytes(settings.title, field: "title", maximum: RoomLimits.pollTextBytes)
        try Check.number(settings.duration, 0...RoomLimits.pollSeconds, field: "duration")
        try checkRoles(settings.voters)
        try checkRoles(settings.viewers)
        try spendFanOut(of: peer, at: now)
        if let id, polls[id] != nil {
            try polls.change(id) { poll throws(RoomError) in try poll.change(settings, by: peer) }
            return id
        }
        let made = id ?? PollID(makeIdentifier())
        try polls.add(Poll(PollInfo(made, settings, by: peer, wall: wall)))
        return made
    }

    /// A peer set the questions of a poll that has not started, replacing all earlier ones.
    ///
    /// - Returns: the number of questions.
    public mutating func pollQuestionsSet(
        _ questions: [PollQuestion], of id: PollID, by peer: PeerID, at now: Instant
    ) throws(RoomError) -> Int {
        try require(.pollWrite, of: peer)
        _ = try poll(id)
        try spendFanOut(of: peer, at: now)
        try polls.change(id) { poll throws(RoomError) in try poll.set(questions, by: peer) }
        return questions.count
    }

    /// A peer started a poll. All peers that may read polls are told, including itself.
    public mutating func pollStarted(
        _ id: PollID, by peer: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        try require(.pollWrite, of: peer)
        _ = try poll(id)
        try spendFanOut(of: peer, at: now)
        let audience = peerCount
        let info = try polls.change(id) { poll throws(RoomError) in
            try poll.start(by: peer, audience: audience, at: now, wall: wall)
            return poll.info
        }
        tell(pollReaders, .pollStarted(info))
        return info
    }

    /// A peer stopped a poll: later answers do not count. All peers that may read polls are told.
    public mutating func pollStopped(
        _ id: PollID, by peer: PeerID, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        try require(.pollWrite, of: peer)
        _ = try poll(id)
        try spendFanOut(of: peer, at: now)
        return try stop(id, by: peer, at: now, wall: wall)
    }

    private mutating func stop(
        _ id: PollID, by peer: PeerID?, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> PollInfo {
        let info = try polls.change(id) { poll throws(RoomError) in
            try poll.stop(by: peer, at: now, wall: wall)
            return poll.info
        }
        tell(pollReaders, .pollStopped(info))
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
        let (reader, role) = try pollReader(peer)
        let poll = try readablePoll(id, for: role).info
        let voters = poll.settings.voters
        guard voters.isEmpty || voters.contains(role.name) else {
            throw .mayNotAnswer(id, role: role.name)
        }
        try spendFanOut(of: peer, at: now)
        let room = polls.makeRoom(for: id)
        let name = makeIdentifier()
        let verdicts = try polls.change(id) { poll throws(RoomError) in
            try poll.answer(submissions, by: reader, at: now, room: room, name: name)
        }
        if let refusal = verdicts.first?.refusal, verdicts.allSatisfy({ $0.refusal != nil }) {
            throw refusal
        }
        return verdicts
    }

    // MARK: - Reading

    /// The state of a poll.
    public func pollInfo(of id: PollID, for peer: PeerID) throws(RoomError) -> PollInfo {
        try readablePoll(id, for: pollReader(peer).role).info
    }

    /// The polls that a peer may read, in the order of creation.
    ///
    /// - Parameters:
    ///   - state: includes only polls in this state.
    ///   - last: includes only polls made after this one, whatever its state. A forgotten poll
    ///     counts as older than all others.
    public func pollInfos(
        _ state: PollInfo.State?, after last: PollID?, for peer: PeerID
    ) throws(RoomError) -> [PollInfo] {
        let role = try pollReader(peer).role
        let all = polls.all.map(\.info)
        let start = last.flatMap { last in all.firstIndex { $0.id == last } }.map { $0 + 1 } ?? 0
        return all[start...].filter { poll in
            (state == nil || poll.state == state) && isReadable(poll, for: role)
        }
    }

    /// A poll's questions. The right answers are left out if the peer may not know them yet.
    public func pollQuestions(
        of id: PollID, for peer: PeerID
    ) throws(RoomError) -> [PollQuestion] {
        let role = try pollReader(peer).role
        let poll = try readablePoll(id, for: role)
        guard poll.state == .started, !role.permissions.pollWrite else { return poll.questions }
        return poll.questions.map { question in
            guard question.answer?.isHidden ?? false else { return question }
            var asked = question
            asked.answer = PollAnswerKey(isHidden: true)
            return asked
        }
    }

    /// The answers in numbers; for peers that may not see them, only the number of voters.
    public func pollResult(of id: PollID, for peer: PeerID) throws(RoomError) -> PollResult {
        let role = try pollReader(peer).role
        let poll = try readablePoll(id, for: role)
        return poll.result(sight(of: role, on: poll.info))
    }

    /// The peer's own answers.
    public func ownPollResponses(
        of id: PollID, by peer: PeerID
    ) throws(RoomError) -> [PollResponse] {
        let (reader, role) = try pollReader(peer)
        return try readablePoll(id, for: role).responses(of: reader)
    }

    /// A page of all answers from `index` on, and whether it is the last. While a quiz runs, only
    /// peers that may write polls may see it.
    public mutating func pollResponses(
        of id: PollID, from index: Int?, count: Int?, by peer: PeerID, at now: Instant
    ) throws(RoomError) -> (responses: [PollResponse], isLast: Bool) {
        let role = try pollReader(peer).role
        let poll = try readablePoll(id, for: role)
        let isQuizRunning = poll.info.settings.kind == .quiz && poll.state == .started
        guard sight(of: role, on: poll.info) != .turnout,
            role.permissions.pollWrite || !isQuizRunning
        else { throw .mayNotSeeAnswers(id, role: role.name) }
        try spendFanOut(of: peer, at: now)
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
        let poll = try readablePoll(id, for: pollReader(peer).role)
        guard poll.state == .stopped else { throw .pollState(id, poll.state) }
        guard !poll.info.settings.isAnonymous else { throw .pollAnonymous(id) }
        if let question {
            try Check.number(question, 1...poll.questions.count, field: "question")
        }
        try spendFanOut(of: peer, at: now)
        guard question == nil else { return poll.leaderboard(of: question) }
        return try polls.change(id) { poll throws(RoomError) in poll.finalLeaderboard() }
    }

    // MARK: - Time and newcomers

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
        let readers = pollReaders
        for poll in news {
            let seeing = Dictionary(grouping: readers) { reader in
                role(of: reader).map { sight(of: $0, on: poll.info) }
            }
            for sight in PollSight.allCases {
                guard let readers = seeing[sight] else { continue }
                tell(readers, .pollCounted(poll.id, poll.result(sight)))
            }
        }
    }

    /// A peer has become visible: it counts in the audience of running polls.
    mutating func pollAudienceGrew() {
        guard !polls.running.isEmpty else { return }
        polls.audienceIs(peerCount)
    }

    /// Tells a peer that was away which polls have started and stopped since it last heard, and the
    /// answers to all running ones, which clients do not request when they are back.
    mutating func tellPollsMissed(_ id: PeerID, since: Instant) {
        guard let role = role(of: id), isReader(role), !role.isHidden else { return }
        for poll in polls.all {
            if poll.state == .started, let began = poll.began, began > since {
                tell([id], .pollStarted(poll.info))
            }
            if poll.state == .started, poll.responseCount > 0 {
                tell([id], .pollCounted(poll.id, poll.result(sight(of: role, on: poll.info))))
            }
            if let ended = poll.ended, ended > since { tell([id], .pollStopped(poll.info)) }
        }
    }

    // MARK: - Rights

    private func role(of id: PeerID) -> Role? { peers[id].flatMap { policy.role($0.role) } }

    private func isReader(_ role: Role) -> Bool {
        role.permissions.pollRead || role.permissions.pollWrite
    }

    private func pollReader(_ id: PeerID) throws(RoomError) -> (peer: Peer, role: Role) {
        let peer = try joinedPeer(id)
        guard let role = policy.role(peer.role) else { throw .unknownRole(peer.role) }
        guard !peer.isHidden, isReader(role) else {
            throw .missingPermission(.pollRead, role: peer.role)
        }
        return (peer, role)
    }

    /// The peers that are told about polls, in the order of joining.
    private var pollReaders: [PeerID] {
        let roles = Set(policy.roles.filter { !$0.isHidden && isReader($0) }.map(\.name))
        return everybody().filter { id in peers[id].map { roles.contains($0.role) } ?? false }
    }

    private func poll(_ id: PollID) throws(RoomError) -> Poll {
        try Check.identifier(id.rawValue, field: "poll_id")
        return try polls.poll(id)
    }

    /// A poll that has not started is visible only to peers that may edit it.
    private func readablePoll(_ id: PollID, for role: Role) throws(RoomError) -> Poll {
        let poll = try poll(id)
        guard isReadable(poll.info, for: role) else { throw .unknownPoll(id) }
        return poll
    }

    private func isReadable(_ poll: PollInfo, for role: Role) -> Bool {
        poll.state != .created || role.permissions.pollWrite
    }

    private func sight(of role: Role, on poll: PollInfo) -> PollSight {
        let viewers = poll.settings.viewers
        guard viewers.isEmpty || viewers.contains(role.name) else { return .turnout }
        return role.permissions.pollWrite ? .everything : .counts
    }
}
