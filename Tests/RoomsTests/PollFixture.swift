import MediaKernel
import Rooms

/// A room with a host, who may write polls, a guest and a viewer, who may read them, and a peer
/// that may do neither.
struct PollFixture {
    static let policy = { () -> Policy in
        var deaf = Role(name: "deaf")
        deaf.subscribeParams.subscribeToRoles = ["host"]
        return try! Policy(validating: Policy.standard.roles + [deaf])
    }()

    var fixture = RoomFixture(policy: Self.policy)

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("g", role: "guest")
        try fixture.join("v", role: "viewer")
        try fixture.join("d", role: "deaf")
    }

    /// Makes a poll that is not started.
    @discardableResult
    mutating func draft(
        _ id: PollID = "p", _ settings: PollSettings = PollSettings(title: "Lunch?"),
        _ questions: [PollQuestion] = [.choice("Where?", "here", "there")], by peer: PeerID = "h"
    ) throws -> PollID {
        let made = try fixture.room.pollSet(
            id, settings, by: peer, at: fixture.now, wall: fixture.wall)
        if !questions.isEmpty {
            _ = try fixture.room.pollQuestionsSet(
                questions, of: made, by: peer, at: fixture.now)
        }
        return made
    }

    /// Starts a poll. Its effects wait to be drained.
    mutating func start(_ id: PollID = "p", by peer: PeerID = "h") throws {
        _ = try fixture.room.pollStarted(id, by: peer, at: fixture.now, wall: fixture.wall)
    }

    mutating func stop(_ id: PollID = "p", by peer: PeerID = "h") throws {
        _ = try fixture.room.pollStopped(id, by: peer, at: fixture.now, wall: fixture.wall)
    }

    /// A running poll that has been announced to all peers.
    mutating func run(
        _ settings: PollSettings = PollSettings(title: "Lunch?"),
        _ questions: [PollQuestion] = [.choice("Where?", "here", "there")]
    ) throws {
        try draft("p", settings, questions)
        try start()
        _ = fixture.drain()
    }

    @discardableResult
    mutating func answer(
        _ submissions: PollSubmission..., by peer: PeerID, to id: PollID = "p"
    ) throws -> [PollVerdict] {
        try fixture.room.pollAnswered(id, submissions, by: peer, at: fixture.now)
    }

    /// Moves the clock, and informs the room.
    mutating func pass(_ duration: Duration) -> [RoomEffect] {
        fixture.now += duration
        fixture.room.handleTimeout(at: fixture.now)
        return fixture.drain()
    }

    func result(for peer: PeerID = "h") throws -> PollResult {
        try fixture.room.polls(for: peer).result(of: "p")
    }

    /// All answers, as the host sees them.
    mutating func responses() throws -> [PollResponse] {
        try fixture.room.pollResponses(
            of: "p", from: nil, count: nil, by: "h", at: fixture.now
        ).responses
    }

    mutating func leaderboard(_ question: Int? = nil) throws -> PollLeaderboard {
        try fixture.room.pollLeaderboard(of: "p", question: question, by: "v", at: fixture.now)
    }
}

extension PollQuestion {
    static func choice(
        _ text: String, _ options: String..., right: Int? = nil, isHidden: Bool = false
    ) -> PollQuestion {
        PollQuestion(
            .singleChoice, text: text, options: options.map { Option(text: $0) },
            answer: right.map { PollAnswerKey(isHidden: isHidden, options: [$0]) })
    }

    static func choices(_ text: String, _ options: String..., right: [Int] = []) -> PollQuestion {
        PollQuestion(
            .multipleChoice, text: text, options: options.map { Option(text: $0) },
            answer: PollAnswerKey(options: right))
    }
}

extension [RoomEffect] {
    /// The poll results that a peer received, in order.
    func counted(_ peer: PeerID) -> [PollResult] {
        told(peer).compactMap { event in
            guard case .pollCounted(_, let result) = event else { return nil }
            return result
        }
    }

    /// The poll events that a peer received.
    func polls(_ peer: PeerID) -> [String] {
        told(peer).compactMap { event in
            switch event {
            case .pollStarted(let info): "started \(info.id)"
            case .pollStopped(let info): "stopped \(info.id)"
            case .pollCounted(let id, _): "counted \(id)"
            default: nil
            }
        }
    }
}
