public import MediaKernel

/// The polls of a session as one peer may see them.
public struct VisiblePolls: Sendable {
    let polls: Polls
    let reader: Peer
    /// The reader's.
    let role: Role

    /// The state of a poll.
    public func info(of id: PollID) throws(RoomError) -> PollInfo {
        try polls.poll(id, visibleTo: role).info
    }

    /// The polls that the peer may read, in the order of creation.
    ///
    /// - Parameters:
    ///   - state: includes only polls in this state.
    ///   - last: includes only polls made after this one, whatever its state. A forgotten poll
    ///     counts as older than all others.
    public func infos(_ state: PollInfo.State?, after last: PollID?) -> [PollInfo] {
        let all = polls.all.map(\.info)
        let start = last.flatMap { last in all.firstIndex { $0.id == last } }.map { $0 + 1 } ?? 0
        return all[start...].filter { poll in
            (state == nil || poll.state == state) && role.sees(poll)
        }
    }

    /// A poll's questions. The right answers are left out if the peer may not know them yet.
    public func questions(of id: PollID) throws(RoomError) -> [PollQuestion] {
        let poll = try polls.poll(id, visibleTo: role)
        guard poll.state == .started, !role.permissions.pollWrite else { return poll.questions }
        return poll.questions.map { question in
            guard question.answer?.isHidden ?? false else { return question }
            var asked = question
            asked.answer = PollAnswerKey(isHidden: true)
            return asked
        }
    }

    /// The answers in numbers; for peers that may not see them, only the number of voters.
    public func result(of id: PollID) throws(RoomError) -> PollResult {
        let poll = try polls.poll(id, visibleTo: role)
        return poll.result(role.sight(on: poll.info))
    }

    /// The peer's own answers.
    public func ownResponses(of id: PollID) throws(RoomError) -> [PollResponse] {
        try polls.poll(id, visibleTo: role).responses(of: reader)
    }
}

extension Role {
    /// Whether its peers may read polls.
    var readsPolls: Bool { permissions.pollRead || permissions.pollWrite }

    /// Whether its peers, if they may read polls, see this one: before it has started only those
    /// that may edit it do.
    func sees(_ poll: PollInfo) -> Bool { poll.state != .created || permissions.pollWrite }

    /// What its peers see of the answers.
    func sight(on poll: PollInfo) -> PollSight {
        let viewers = poll.settings.viewers
        guard viewers.isEmpty || viewers.contains(name) else { return .turnout }
        return permissions.pollWrite ? .everything : .counts
    }
}
