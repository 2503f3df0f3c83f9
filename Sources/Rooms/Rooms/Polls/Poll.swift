import MediaKernel

/// One poll or quiz: its questions and answers.
struct Poll: Hashable, Sendable {
    private struct Voter: Hashable, Sendable {
        /// The approximate memory of a voter in bytes, without its texts.
        static let bytes = 512

        var shown: PollVoter
        /// Of the token of its latest answer.
        var tokenID = ""
        /// The index of its answers among all, by question.
        var answers: [Int: Int] = [:]
    }

    private struct Ballot: Hashable, Sendable {
        let voter: Int
        let question: Int
        var answer: PollAnswer
        /// In milliseconds.
        var duration: Int
        var isRight: Bool
        var isUpdate = false
    }

    private(set) var info: PollInfo
    private(set) var questions: [PollQuestion] = []
    /// When it started, and when its time is over.
    private(set) var began: Instant?
    private(set) var deadline: Instant?
    /// When its end was announced, even if its time was over earlier.
    private(set) var ended: Instant?
    /// There are answers that have not been reported yet.
    var hasNews = false
    /// Its approximate memory in bytes.
    private(set) var bytes = 0

    private var tallies: [PollResult.Question] = []
    private var audience = 0
    private var voters: [Voter] = []
    /// By the voters' keys.
    private var numbers: [String: Int] = [:]
    private var ballots: [Ballot] = []
    private var standings: PollLeaderboard?

    var id: PollID { info.id }
    var state: PollInfo.State { info.state }

    init(_ info: PollInfo) { self.info = info }

    // MARK: - Making

    mutating func change(_ settings: PollSettings, by peer: PeerID) throws(RoomError) {
        try checkDraft(by: peer)
        info.settings = settings
    }

    mutating func set(_ questions: [PollQuestion], by peer: PeerID) throws(RoomError) {
        try checkDraft(by: peer)
        try Check.count(questions.count, field: "questions", maximum: RoomLimits.pollQuestions)
        for (place, question) in questions.enumerated() { try question.check("questions.\(place)") }
        let bytes = questions.reduce(0) { $0 + $1.bytes }
        try Check.count(bytes, field: "questions", maximum: RoomLimits.pollBytes)
        self.questions = questions
        self.bytes = bytes
        info.questionCount = questions.count
    }

    private func checkDraft(by peer: PeerID) throws(RoomError) {
        guard state == .created else { throw .pollState(id, state) }
        guard !info.settings.isLocked || peer == info.createdBy else { throw .pollLocked(id) }
    }

    // MARK: - Running

    mutating func start(
        by peer: PeerID, audience: Int, at now: Instant, wall: UnixTime
    ) throws(RoomError) {
        guard state == .created else { throw .pollState(id, state) }
        guard !questions.isEmpty else { throw .pollEmpty(id) }
        info.state = .started
        info.startedBy = peer
        info.startedAt = wall
        began = now
        let seconds = info.settings.duration
        deadline = seconds > 0 ? now + .seconds(seconds) : nil
        tallies = questions.map(PollResult.Question.init)
        self.audience = audience
    }

    /// - Parameter peer: nil if its time was over.
    mutating func stop(by peer: PeerID?, at now: Instant, wall: UnixTime) throws(RoomError) {
        guard state == .started else { throw .pollState(id, state) }
        info.state = .stopped
        info.stoppedBy = peer
        info.stoppedAt = wall
        ended = now
        hasNews = false
    }

    mutating func audienceIs(_ count: Int) {
        if state == .started { audience = max(audience, count) }
    }

    /// Takes a peer's answers, question by question.
    ///
    /// - Parameters:
    ///   - room: the bytes that are left for answers.
    ///   - name: the name of a new voter.
    /// - Throws: only errors that concern all of them.
    mutating func answer(
        _ submissions: [PollSubmission], by peer: Peer, at now: Instant, room: Int,
        name: String
    ) throws(RoomError) -> [PollVerdict] {
        guard state == .started, let began, deadline.map({ now < $0 }) ?? true else {
            throw .pollState(id, state == .started ? .stopped : state)
        }
        guard !submissions.isEmpty else {
            throw .invalidField(field: "responses", reason: "is empty")
        }
        try Check.count(
            submissions.count, field: "responses", maximum: RoomLimits.pollQuestions)
        let longest = Int((now - began).milliseconds)
        let limit = bytes + room
        var verdicts: [PollVerdict] = []
        for submission in submissions {
            do throws(RoomError) {
                let isRight = try take(
                    submission, by: peer, longest: longest, limit: limit, name: name)
                let isHidden = questions[submission.question - 1].answer?.isHidden ?? false
                verdicts.append(
                    PollVerdict(
                        question: submission.question, isRight: isHidden ? nil : isRight,
                        refusal: nil))
            } catch {
                verdicts.append(
                    PollVerdict(question: submission.question, isRight: nil, refusal: error))
            }
        }
        return verdicts
    }

    private mutating func take(
        _ submission: PollSubmission, by peer: Peer, longest: Int, limit: Int, name: String
    ) throws(RoomError) -> Bool {
        let number = submission.question
        try Check.number(number, 1...questions.count, field: "question")
        let question = questions[number - 1]
        let answer = try question.read(submission)
        let isRight = question.isRight(answer)
        let key = key(of: peer)
        let known = numbers[key]
        let place = known.flatMap { voters[$0].answers[number] }
        if place != nil, question.isOnce { throw .pollAnswered(question: number) }
        let texts = [key, peer.userID, peer.name, peer.tokenID]
        let voterBytes = known == nil ? texts.reduce(Voter.bytes) { $0 + $1.utf8.count } : 0
        let oldBytes = place.map { ballots[$0].answer.bytes } ?? 0
        guard bytes + voterBytes + answer.bytes - oldBytes <= limit else {
            throw .pollsFull(maximum: RoomLimits.pollHoldingBytes)
        }
        bytes += voterBytes
        let voter = known ?? voters.count
        if known == nil {
            numbers[key] = voter
            voters.append(Voter(shown: PollVoter(hash: name)))
        }
        voters[voter].tokenID = peer.tokenID
        if !info.settings.isAnonymous {
            voters[voter].shown.peer = peer.id
            voters[voter].shown.userID = peer.userID
            voters[voter].shown.name = peer.name
        }
        // An answer cannot have taken longer than the poll has run.
        let duration = min(max(0, submission.duration), longest)
        if let place {
            let old = ballots[place]
            tallies[number - 1].count(old.answer, isRight: old.isRight, by: -1)
            bytes -= old.answer.bytes
            ballots[place].answer = answer
            ballots[place].duration = duration
            ballots[place].isRight = isRight
            ballots[place].isUpdate = true
        } else {
            voters[voter].answers[number] = ballots.count
            ballots.append(
                Ballot(
                    voter: voter, question: number, answer: answer, duration: duration,
                    isRight: isRight))
        }
        bytes += answer.bytes
        tallies[number - 1].count(answer, isRight: isRight, by: 1)
        hasNews = true
        return isRight
    }

    private func key(of peer: Peer) -> String {
        switch info.settings.tracking {
        case .peerID: peer.id.rawValue
        case .userID: peer.userID
        case .name: peer.name
        }
    }

    // MARK: - Reading

    func result(_ sight: PollSight) -> PollResult {
        var result = PollResult(
            audience: audience, voters: voters.count, responses: ballots.count)
        guard sight != .turnout else { return result }
        var shown = tallies
        if sight == .counts, state == .started {
            for index in shown.indices where questions[index].answer?.isHidden ?? false {
                shown[index].correct = nil
            }
        }
        result.questions = shown
        return result
    }

    var responseCount: Int { ballots.count }

    /// Answers in the order in which each voter first answered each question.
    func responses(_ range: Range<Int>) -> [PollResponse] {
        ballots[range.clamped(to: ballots.indices)]
            .map { response($0, of: voters[$0.voter].shown) }
    }

    /// This peer's own answers, by question. In an anonymous poll, only for the same token: anyone
    /// may have a token in any user's name, and user ids are public.
    func responses(of peer: Peer) -> [PollResponse] {
        guard let number = numbers[key(of: peer)],
            !info.settings.isAnonymous || voters[number].tokenID == peer.tokenID
        else { return [] }
        // A voter sees itself even in an anonymous poll.
        var voter = voters[number].shown
        voter.peer = peer.id
        voter.userID = peer.userID
        voter.name = peer.name
        return voters[number].answers.sorted { $0.key < $1.key }
            .map { response(ballots[$0.value], of: voter) }
    }

    private func response(_ ballot: Ballot, of voter: PollVoter) -> PollResponse {
        PollResponse(
            voter: voter, question: ballot.question,
            kind: questions[ballot.question - 1].kind, answer: ballot.answer,
            duration: ballot.duration, isUpdate: ballot.isUpdate)
    }

    /// The standings of an ended poll. They are computed once: they do not change any more, and all
    /// peers ask for them at the same time.
    mutating func finalLeaderboard() -> PollLeaderboard {
        let board = standings ?? leaderboard(of: nil)
        standings = board
        return board
    }

    /// - Parameter question: the only one that counts, by its number from 1; nil for all.
    func leaderboard(of question: Int?) -> PollLeaderboard {
        var entries = voters.map { PollLeaderboard.Entry(voter: $0.shown) }
        var hasAnswered = voters.map { _ in false }
        var time = 0
        for ballot in ballots where question == nil || ballot.question == question {
            hasAnswered[ballot.voter] = true
            guard ballot.answer != .skipped else { continue }
            entries[ballot.voter].responses += 1
            time += ballot.duration
            entries[ballot.voter].score += questions[ballot.question - 1].score(
                ballot.answer, isRight: ballot.isRight)
            guard ballot.isRight else { continue }
            entries[ballot.voter].correctResponses += 1
            entries[ballot.voter].duration += ballot.duration
        }
        return PollLeaderboard(
            audience: audience, entries: zip(entries, hasAnswered).filter(\.1).map(\.0),
            questions: question == nil ? questions.count : 1, time: time)
    }
}
