public import MediaKernel
public import Rooms

// Polls on the wire: `signal/interfaces/polls.ts` of 100ms' web SDK. `version` is what its native
// libraries read (`live.hms.video.polls.network`).

/// What `poll-info-get` answers, and what is told of polls that start and stop.
public struct PollInfoPayload: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var title: String
    public var type: PollSettings.Kind
    /// In seconds.
    public var duration: Int
    public var anonymous: Bool
    public var visibility: Bool
    public var locked: Bool
    public var mode: PollSettings.Tracking
    public var vote: [String]
    public var responses: [String]
    public var state: PollInfo.State
    public var createdBy: PeerID
    public var startedBy: PeerID?
    public var stoppedBy: PeerID?
    /// These in milliseconds since 1970.
    public var createdAt: Int64
    public var startedAt: Int64?
    public var stoppedAt: Int64?
    public var questionsCount: Int

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case title, type, duration, anonymous, visibility, locked, mode, vote, responses, state
        case createdBy = "created_by"
        case startedBy = "started_by"
        case stoppedBy = "stopped_by"
        case createdAt = "created_at"
        case startedAt = "started_at"
        case stoppedAt = "stopped_at"
        case questionsCount = "questions_count"
    }

    init(_ info: PollInfo) {
        pollID = info.id
        title = info.settings.title
        type = info.settings.kind
        duration = info.settings.duration
        anonymous = info.settings.isAnonymous
        visibility = info.settings.isVisible
        locked = info.isLocked
        mode = info.settings.tracking
        vote = info.settings.voters
        responses = info.settings.viewers
        state = info.state
        createdBy = info.createdBy
        startedBy = info.startedBy
        stoppedBy = info.stoppedBy
        createdAt = info.createdAt.milliseconds
        startedAt = info.startedAt?.milliseconds
        stoppedAt = info.stoppedAt?.milliseconds
        questionsCount = info.questionCount
    }
}

/// One question, both ways.
public struct PollQuestionPayload: Hashable, Sendable, Codable {
    public struct Question: Hashable, Sendable, Codable {
        /// From 1.
        public var index: Int?
        public var text: String
        public var type: PollQuestion.Kind
        public var skippable: Bool?
        /// In seconds.
        public var duration: Int?
        public var once: Bool?
        public var weight: Int?
        public var negative: Bool?
        /// In Unicode scalars.
        public var answerMinLen: Int?
        public var answerMaxLen: Int?

        enum CodingKeys: String, CodingKey {
            case index, text, type, skippable, duration, once, weight, negative
            case answerMinLen = "answer_min_len"
            case answerMaxLen = "answer_max_len"
        }
    }

    public struct Option: Hashable, Sendable, Codable {
        /// From 1.
        public var index: Int?
        public var text: String
        public var weight: Int?
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var hidden: Bool?
        /// From 1.
        public var option: Int?
        public var options: [Int]?
        public var text: String?
        /// Whether the case of letters counts.
        public var `case`: Bool?
        public var trim: Bool?
    }

    public var question: Question
    public var options: [Option]?
    public var answer: Answer?

    /// - Parameter path: of this question in the request.
    func read(_ path: String) throws(SignallingError) -> PollQuestion {
        let options = self.options ?? []
        let places = try PollPlaces.order(options.map(\.index), "\(path).options")
        let shortest = question.answerMinLen ?? 1
        // 0 is what libraries send that know of no limit.
        let longest = question.answerMaxLen.flatMap { $0 == 0 ? nil : $0 } ?? max(1024, shortest)
        guard question.type.hasOptions || shortest <= longest else {
            throw .badParameter(
                "\(path).question.answer_min_len", reason: "is more than answer_max_len")
        }
        var read = PollQuestion(
            question.type, text: question.text, isSkippable: question.skippable ?? true,
            duration: question.duration ?? 0, isOnce: question.once ?? false,
            weight: question.weight ?? 1, isNegative: question.negative ?? false,
            options: places.map { place in
                PollQuestion.Option(text: options[place].text, weight: options[place].weight)
            },
            answer: answer.map { answer in
                PollAnswerKey(
                    isHidden: answer.hidden ?? false,
                    options: question.type.hasOptions ? answer.chosen(of: question.type) : [],
                    text: question.type.hasOptions ? nil : answer.text,
                    isCaseSensitive: answer.case ?? false, isTrimmed: answer.trim ?? false)
            })
        if !question.type.hasOptions { read.lengths = shortest...longest }
        return read
    }

    /// - Parameter index: from 1.
    init(_ question: PollQuestion, index: Int) {
        let isText = !question.kind.hasOptions
        self.question = Question(
            index: index, text: question.text, type: question.kind,
            skippable: question.isSkippable, duration: question.duration, once: question.isOnce,
            weight: question.weight, negative: question.isNegative,
            answerMinLen: isText ? question.lengths.lowerBound : nil,
            answerMaxLen: isText ? question.lengths.upperBound : nil)
        options =
            isText
            ? nil
            : question.options.enumerated().map { place, option in
                Option(index: place + 1, text: option.text, weight: option.weight)
            }
        answer = question.answer.map { Answer($0, of: question.kind) }
    }
}

extension PollQuestionPayload.Answer {
    init(_ answer: PollAnswerKey, of kind: PollQuestion.Kind) {
        hidden = answer.isHidden
        guard !answer.isEmpty else { return }
        if kind == .singleChoice, answer.options.count == 1 {
            option = answer.options[0]
        } else if kind.hasOptions {
            options = answer.options
        } else {
            text = answer.text
            `case` = answer.isCaseSensitive
            trim = answer.isTrimmed
        }
    }

    fileprivate func chosen(of kind: PollQuestion.Kind) -> [Int] {
        let one = option.map { [$0] }
        return (kind == .singleChoice ? one ?? options : options ?? one) ?? []
    }
}

/// What `poll-info-set` answers.
public struct PollSetResult: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case version
    }
}

/// What `poll-start` and `poll-stop` answer.
public struct PollRunResult: Hashable, Sendable, Codable {
    public var pollID: PollID
    /// In seconds.
    public var duration: Int

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case duration
    }
}

public struct PollQuestionsSetResult: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var totalQuestions: Int
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case totalQuestions = "total_questions"
        case version
    }
}

public struct PollQuestionsGetResult: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var questions: [PollQuestionPayload]
    /// Nothing comes after this page.
    public var last: Bool
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case questions, last, version
    }
}

/// What `poll-response` answers: of each response by itself.
public struct PollResponseResult: Hashable, Sendable, Codable {
    public struct Verdict: Hashable, Sendable, Codable {
        public struct Refusal: Hashable, Sendable, Codable {
            public var code: Int
            public var message: String
            public var description: String
        }

        public var question: Int
        public var correct: Bool?
        public var error: Refusal?
    }

    public var pollID: PollID
    public var result: [Verdict]
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case result, version
    }
}

public struct PollResponsesResult: Hashable, Sendable, Codable {
    public struct Response: Hashable, Sendable, Codable {
        public var responseID: String
        public var question: Int
        public var type: PollQuestion.Kind
        public var skipped: Bool
        public var option: Int?
        public var options: [Int]?
        public var text: String?
        public var update: Bool
        /// In milliseconds.
        public var duration: Int

        enum CodingKeys: String, CodingKey {
            case responseID = "response_id"
            case question, type, skipped, option, options, text, update, duration
        }
    }

    public struct Item: Hashable, Sendable, Codable {
        /// No later one takes its place: earlier ones are not kept.
        public var final = true
        public var response: Response
        public var peer: PollPeerPayload
    }

    public var pollID: PollID
    public var responses: [Item]
    /// Nothing comes after this page.
    public var last: Bool
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case responses, last, version
    }
}

/// Who answered. Only `hash` is there where the poll is anonymous.
public struct PollPeerPayload: Hashable, Sendable, Codable {
    public var hash: String
    public var peerid: PeerID?
    public var userid: String?
    public var username: String?

    init(_ voter: PollVoter) {
        hash = voter.hash
        peerid = voter.peer
        userid = voter.userID
        username = voter.name
    }
}

public struct PollListResult: Hashable, Sendable, Codable {
    public var polls: [PollInfoPayload]
    /// The last one's id; empty on the last page.
    public var last: String
}

/// What `poll-result` answers, and one of `on-poll-stats`.
public struct PollResultPayload: Hashable, Sendable, Codable {
    public struct Question: Hashable, Sendable, Codable {
        /// From 1.
        public var question: Int
        public var type: PollQuestion.Kind
        public var options: [Int]?
        public var correct: Int?
        public var skipped: Int
        public var total: Int
    }

    public var pollID: PollID
    public var maxUser: Int
    public var userCount: Int
    public var totalResponse: Int
    /// Empty for who may not see what was answered.
    public var questions: [Question]

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case maxUser = "max_user"
        case userCount = "user_count"
        case totalResponse = "total_response"
        case questions
    }

    init(_ id: PollID, _ result: PollResult) {
        pollID = id
        maxUser = result.audience
        userCount = result.voters
        totalResponse = result.responses
        questions = (result.questions ?? []).enumerated().map { place, question in
            Question(
                question: place + 1, type: question.kind,
                options: question.kind.hasOptions ? question.options : nil,
                correct: question.correct, skipped: question.skipped, total: question.total)
        }
    }
}

public struct PollLeaderboardResult: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        /// From 1.
        public var position: Int
        public var score: Int
        public var totalResponses: Int
        public var correctResponses: Int
        /// In milliseconds.
        public var duration: Int
        public var peer: PollPeerPayload

        enum CodingKeys: String, CodingKey {
            case position, score
            case totalResponses = "total_responses"
            case correctResponses = "correct_responses"
            case duration, peer
        }
    }

    public var pollID: PollID
    public var totalUsers: Int
    public var votedUsers: Int
    public var correctUsers: Int
    /// In milliseconds.
    public var avgTime: Int
    public var avgScore: Double
    /// 100ms' name for the entries.
    public var questions: [Entry]
    /// Nothing comes after this page.
    public var last: Bool

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case totalUsers = "total_users"
        case votedUsers = "voted_users"
        case correctUsers = "correct_users"
        case avgTime = "avg_time"
        case avgScore = "avg_score"
        case questions, last
    }
}

/// `on-poll-start`, `on-poll-stop`.
public struct PollsNotification: Hashable, Sendable, Codable {
    public var polls: [PollInfoPayload]
}

/// `on-poll-stats`.
public struct PollStatsNotification: Hashable, Sendable, Codable {
    public var polls: [PollResultPayload]
}

enum PollVersion {
    static let current = "1.0"
}
