/// One question of a poll. It is identified by its number, from 1.
public struct PollQuestion: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, Codable {
        case singleChoice = "single-choice"
        case multipleChoice = "multiple-choice"
        case shortAnswer = "short-answer"
        case longAnswer = "long-answer"

        public var hasOptions: Bool {
            switch self {
            case .singleChoice, .multipleChoice: true
            case .shortAnswer, .longAnswer: false
            }
        }
    }

    /// A possible choice. It is identified by its number, from 1.
    public struct Option: Hashable, Sendable {
        public var text: String
        /// Passed on to clients.
        public var weight: Int?

        public init(text: String, weight: Int? = nil) {
            self.text = text
            self.weight = weight
        }
    }

    public var kind: Kind
    public var text: String
    public var isSkippable: Bool
    /// In seconds: how long clients show it; 0 for as long as the poll runs.
    public var duration: Int
    /// An answer cannot be changed.
    public var isOnce: Bool
    /// The score of the right answer.
    public var weight: Int
    /// A wrong answer costs `weight`.
    public var isNegative: Bool
    /// In Unicode scalars, of a text answer.
    public var lengths: ClosedRange<Int>
    public var options: [Option]
    /// Nil for a question without a right answer.
    public var answer: PollAnswerKey?

    public init(
        _ kind: Kind, text: String, isSkippable: Bool = true, duration: Int = 0,
        isOnce: Bool = false, weight: Int = 1, isNegative: Bool = false,
        lengths: ClosedRange<Int> = 1...1024, options: [Option] = [],
        answer: PollAnswerKey? = nil
    ) {
        self.kind = kind
        self.text = text
        self.isSkippable = isSkippable
        self.duration = duration
        self.isOnce = isOnce
        self.weight = weight
        self.isNegative = isNegative
        self.lengths = lengths
        self.options = options
        self.answer = answer
    }

    /// Its share of the limits, in bytes of UTF-8.
    var bytes: Int {
        options.reduce(text.utf8.count + (answer?.text?.utf8.count ?? 0)) {
            $0 + $1.text.utf8.count
        }
    }

    /// - Parameter path: of this question in the request, e.g. `questions.0`.
    func check(_ path: String) throws(RoomError) {
        guard !text.isEmpty else { throw .invalidField(field: "\(path).text", reason: "is empty") }
        try Check.bytes(text, field: "\(path).text", maximum: RoomLimits.pollTextBytes)
        try Check.number(duration, 0...RoomLimits.pollSeconds, field: "\(path).duration")
        try Check.number(weight, 0...RoomLimits.pollWeight, field: "\(path).weight")
        let longest = 1...RoomLimits.pollAnswerScalars
        try Check.number(lengths.upperBound, longest, field: "\(path).answer_max_len")
        try Check.number(
            lengths.lowerBound, 0...lengths.upperBound, field: "\(path).answer_min_len")
        guard options.isEmpty != kind.hasOptions else {
            throw .invalidField(
                field: "\(path).options",
                reason: kind.hasOptions ? "are missing" : "are for choices only")
        }
        try Check.count(options.count, field: "\(path).options", maximum: RoomLimits.pollOptions)
        for (place, option) in options.enumerated() {
            let field = "\(path).options.\(place)"
            guard !option.text.isEmpty else {
                throw .invalidField(field: "\(field).text", reason: "is empty")
            }
            try Check.bytes(
                option.text, field: "\(field).text", maximum: RoomLimits.pollTextBytes)
            try Check.number(
                option.weight ?? 0, 0...RoomLimits.pollWeight, field: "\(field).weight")
        }
        try answer?.check(of: self, "\(path).answer")
    }

    /// Validates an answer to this question.
    func read(_ submission: PollSubmission) throws(RoomError) -> PollAnswer {
        if let kind = submission.kind, kind != self.kind {
            throw .invalidField(field: "type", reason: "must be '\(self.kind.rawValue)'")
        }
        if submission.isSkipped {
            guard isSkippable else {
                throw .invalidField(field: "skipped", reason: "is not allowed here")
            }
            return .skipped
        }
        switch kind {
        case .singleChoice:
            let options = submission.option.map { [$0] } ?? submission.options ?? []
            guard let option = options.first, options.count == 1, self.options.has(option) else {
                throw .invalidField(field: "option", reason: "must be 1 to \(self.options.count)")
            }
            return .options([option])
        case .multipleChoice:
            let options = submission.options ?? submission.option.map { [$0] } ?? []
            guard !options.isEmpty, options.count <= self.options.count,
                Set(options).count == options.count, options.allSatisfy(self.options.has)
            else {
                throw .invalidField(
                    field: "options", reason: "must be of 1 to \(self.options.count), each once")
            }
            return .options(options.sorted())
        case .shortAnswer, .longAnswer:
            let text = submission.text ?? ""
            // Checked in bytes first, which is cheap: a scalar has at most four.
            guard text.utf8.count <= 4 * lengths.upperBound,
                lengths.contains(text.unicodeScalars.count)
            else {
                throw .invalidField(
                    field: "text",
                    reason: "must have \(lengths.lowerBound) to \(lengths.upperBound) characters")
            }
            return .text(text)
        }
    }

    /// Whether an answer is right. Skipped answers are not, nor are any answers to a question
    /// without a right one.
    func isRight(_ given: PollAnswer) -> Bool {
        guard let answer else { return false }
        switch given {
        case .skipped: return false
        case .text(let text): return answer.accepts(text)
        case .options(let options):
            guard !answer.options.isEmpty else { return false }
            // For a single choice, any of the right options.
            return kind == .singleChoice
                ? options.allSatisfy(answer.options.contains) : options == answer.options
        }
    }

    /// The score of an answer.
    func score(_ given: PollAnswer, isRight: Bool) -> Int {
        if isRight { return weight }
        guard isNegative, given != .skipped, answer?.isEmpty == false else { return 0 }
        return -weight
    }
}

extension [PollQuestion.Option] {
    fileprivate func has(_ index: Int) -> Bool { index >= 1 && index <= count }
}

/// The right answer.
public struct PollAnswerKey: Hashable, Sendable {
    /// While the poll runs, only peers that may write polls see the right answer.
    public var isHidden: Bool
    /// The numbers of the right options from 1, ascending.
    public var options: [Int]
    public var text: String?
    public var isCaseSensitive: Bool
    /// Blanks around a text answer do not count.
    public var isTrimmed: Bool

    public init(
        isHidden: Bool = false, options: [Int] = [], text: String? = nil,
        isCaseSensitive: Bool = false, isTrimmed: Bool = false
    ) {
        self.isHidden = isHidden
        self.options = options.sorted()
        self.text = text
        self.isCaseSensitive = isCaseSensitive
        self.isTrimmed = isTrimmed
    }

    /// There is no right answer.
    public var isEmpty: Bool { options.isEmpty && text == nil }

    fileprivate func check(of question: PollQuestion, _ path: String) throws(RoomError) {
        guard Set(options).count == options.count, options.allSatisfy(question.options.has) else {
            throw .invalidField(
                field: "\(path).options", reason: "must be of the question's, each once")
        }
        if let text {
            try Check.bytes(text, field: "\(path).text", maximum: RoomLimits.pollTextBytes)
        }
    }

    fileprivate func accepts(_ given: String) -> Bool {
        guard let text else { return false }
        return plain(given) == plain(text)
    }

    private func plain(_ text: String) -> String {
        var text = text[...]
        if isTrimmed {
            text = text.drop(while: \.isWhitespace)
            while text.last?.isWhitespace ?? false { text.removeLast() }
        }
        return isCaseSensitive ? String(text) : text.lowercased()
    }
}
