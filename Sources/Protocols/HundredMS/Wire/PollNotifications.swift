// Notifications about polls.

/// `on-poll-start`, `on-poll-stop`.
public struct PollsNotification: Hashable, Sendable, Codable {
    public var polls: [PollInfoPayload]
}

/// `on-poll-stats`.
public struct PollStatsNotification: Hashable, Sendable, Codable {
    public var polls: [PollResultPayload]
}
