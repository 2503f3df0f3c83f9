public import MediaKernel
public import Rooms

// Results of the calls about polls.

/// The result of `poll-info-set`.
public struct PollSetResult: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case version
    }
}

/// The result of `poll-start` and `poll-stop`.
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
    /// Whether this page is the last.
    public var last: Bool
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case questions, last, version
    }
}

/// The result of `poll-response`: one entry for each response.
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
        /// Final: no later response replaces it, since earlier ones are not kept.
        public var final = true
        public var response: Response
        public var peer: PollPeerPayload
    }

    public var pollID: PollID
    public var responses: [Item]
    /// Whether this page is the last.
    public var last: Bool
    public var version = PollVersion.current

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case responses, last, version
    }
}

/// The peer that answered. In an anonymous poll only `hash` is set.
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
    /// The last poll's id; empty on the last page.
    public var last: String
}

/// The result of `poll-result`, and an entry of `on-poll-stats`.
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
    /// Empty if the recipient may not see the responses.
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
    /// Whether this page is the last.
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
