public import MediaKernel
public import Rooms

// Requests of clients about polls: `signal/interfaces/polls.ts` of 100ms' web SDK, and its server
// API's `polls/overview.mdx` for what is left out.

/// `poll-info-set`.
public struct PollInfoSetParameters: Hashable, Sendable, Codable {
    /// Missing or empty: the server makes one up.
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

    /// In the order of their numbers.
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
        /// In milliseconds, of clocks that some clients read in fractions.
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
    /// The caller's own; missing: everybody's.
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
    /// `last` of the page before.
    public var start: PollID?
}

/// `poll-leaderboard`.
public struct PollLeaderboardParameters: Hashable, Sendable, Codable {
    public var pollID: PollID
    /// From 1; missing: all of them.
    public var question: Int?
    public var count: Int?
    /// The index of the first one, from 0.
    public var offset: Int?

    enum CodingKeys: String, CodingKey {
        case pollID = "poll_id"
        case question, count, offset
    }
}

/// Questions and options carry their own numbers, from 1.
enum PollPlaces {
    /// Where in a list the ones with the numbers 1, 2, … are. One without a number has that of its
    /// place.
    static func order(_ numbers: [Int?], _ path: String) throws(SignallingError) -> [Int] {
        let numbered = numbers.enumerated().map { ($0.element ?? $0.offset + 1, $0.offset) }
            .sorted { $0 < $1 }
        guard numbered.map(\.0) == Array(1..<(numbers.count + 1)) else {
            throw .badParameter(path, reason: "must have the indexes 1 to \(numbers.count)")
        }
        return numbered.map(\.1)
    }
}
