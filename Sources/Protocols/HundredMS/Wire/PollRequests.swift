public import MediaKernel
public import Rooms

// Clients' requests about polls: `signal/interfaces/polls.ts` of 100ms' web SDK, with its server
// API's `polls/overview.mdx` for omitted fields.

/// `poll-info-set`.
public struct PollInfoSetParameters: Hashable, Sendable, Codable {
    /// If missing or empty, the server generates one.
    public var pollID: PollID?
    public var title: String?
    public var type: PollSettings.Kind?
    /// In seconds.
    public var duration: Int?
    public var anonymous: Bool?
    public var visibility: Bool?
    public var locked: Bool?
    public var mode: PollSettings.Tracking?
    /// Names of roles.
    public var vote: [String]?
    /// Names of roles.
    public var responses: [String]?

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case title, type, duration, anonymous, visibility, locked, mode, vote, responses
    }

    var settings: PollSettings {
        PollSettings(
            title: title ?? "", kind: type ?? .poll, duration: duration ?? 0,
            isAnonymous: anonymous ?? false, isVisible: visibility ?? false,
            isLocked: locked ?? false, tracking: mode ?? .userID, voters: vote ?? [],
            viewers: responses ?? [])
    }
}

/// `poll-info-get`, `poll-start`, `poll-stop`, `poll-result`.
public struct PollParameters: Hashable, Sendable, Codable {
    public var pollID: PollID

    enum CodingKeys: String, CodingKey { case pollID = "poll_id" }
}

/// `poll-questions-set`.
public struct PollQuestionsSetParameters: Hashable, Sendable, Codable {
    public var pollID: PollID
    public var questions: [PollQuestionPayload]

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case questions
    }

    /// The questions in the order of their numbers.
    func ordered() throws(SignallingError) -> [PollQuestion] {
        let places = try PollPlaces.order(questions.map(\.question.index), "questions")
        var ordered: [PollQuestion] = []
        for place in places {
            ordered.append(try questions[place].read("questions.\(place)"))
        }
        return ordered
    }
}

/// `poll-questions-get`.
public struct PollQuestionsGetParameters: Hashable, Sendable, Codable {
    public var pollID: PollID
    /// The index of the first one, from 0.
    public var index: Int?
    public var count: Int?

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case index, count
    }
}

/// `poll-response`.
public struct PollResponseParameters: Hashable, Sendable, Codable {
    public struct Response: Hashable, Sendable, Codable {
        /// From 1.
        public var question: Int
        public var type: PollQuestion.Kind?
        public var skipped: Bool?
        /// From 1.
        public var option: Int?
        public var options: [Int]?
        public var text: String?
        /// In milliseconds; some clients measure it with fractions.
        public var duration: Double?

        var submission: PollSubmission {
            PollSubmission(
                question: question, kind: type, isSkipped: skipped ?? false, option: option,
                options: options, text: text,
                duration: Int(min(max(duration ?? 0, 0), Double(Int32.max))))
        }
    }

    public var pollID: PollID
    public var responses: [Response]

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case responses
    }
}

/// `poll-responses`.
public struct PollResponsesGetParameters: Hashable, Sendable, Codable {
    public var pollID: PollID
    /// The index of the first one, from 0.
    public var index: Int?
    public var count: Int?
    /// Whether to return only the caller's own responses; if missing, all peers'.
    public var own: Bool?

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case index, count
        case own = "self"
    }
}

/// `poll-list`.
public struct PollListParameters: Hashable, Sendable, Codable {
    public var state: PollInfo.State?
    public var count: Int?
    /// `last` of the previous page.
    public var start: PollID?
}

/// `poll-leaderboard`.
public struct PollLeaderboardParameters: Hashable, Sendable, Codable {
    public var pollID: PollID
    /// From 1; if missing, all questions.
    public var question: Int?
    public var count: Int?
    /// The index of the first one, from 0.
    public var offset: Int?

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case question, count, offset
    }
}

/// Questions and options have their own numbers, from 1.
enum PollPlaces {
    /// The indices in a list of the items with the numbers 1, 2, … An item without a number has
    /// that of its place.
    static func order(_ numbers: [Int?], _ path: String) throws(SignallingError) -> [Int] {
        let numbered = numbers.enumerated().map { ($0.element ?? $0.offset + 1, $0.offset) }
            .sorted { $0 < $1 }
        guard numbered.map(\.0) == Array(1..<(numbers.count + 1)) else {
            throw .badParameter(path, .indexes(count: numbers.count))
        }
        return numbered.map(\.1)
    }
}
