public import MediaKernel
public import Rooms

// Polls on the wire: `signal/interfaces/polls.ts` of 100ms' web SDK. Its native libraries read
// `version` (`live.hms.video.polls.network`).

/// The result of `poll-info-get`, and the payload of polls that start and stop.
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
    /// This and the next two are in milliseconds since 1970.
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

/// One question, in both directions.
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
        /// Empty if there is no right answer: 100ms' Android library always sends a text.
        public var text: String?
        /// Whether case matters.
        public var `case`: Bool?
        public var trim: Bool?
    }

    public var question: Question
    public var options: [Option]?
    public var answer: Answer?

    /// - Parameter path: the path of this question in the request.
    func read(_ path: String) throws(SignallingError) -> PollQuestion {
        let options = self.options ?? []
        let places = try PollPlaces.order(options.map(\.index), "\(path).options")
        let shortest = question.answerMinLen ?? 1
        // Libraries that have no limit send 0.
        let longest = question.answerMaxLen.flatMap { $0 == 0 ? nil : $0 } ?? max(1024, shortest)
        guard question.type.hasOptions || shortest <= longest else {
            throw .badParameter(
                "\(path).question.answer_min_len", .moreThan("answer_max_len"))
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
                    text: question.type.hasOptions ? nil : answer.words,
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

    /// The right words, if there are any.
    fileprivate var words: String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    fileprivate func chosen(of kind: PollQuestion.Kind) -> [Int] {
        let one = option.map { [$0] }
        return (kind == .singleChoice ? one ?? options : options ?? one) ?? []
    }
}

enum PollVersion {
    static let current = "1.0"
}
