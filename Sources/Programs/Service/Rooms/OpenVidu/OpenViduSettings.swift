/// OpenVidu's application servers, and what they are told.
public struct OpenViduSettings: Hashable, Sendable {
    /// Of application servers that use the REST API; nil without any.
    public var secret: String?
    /// Whether anybody may download recordings.
    public var opensRecordings = false
    /// How long a recording goes on while nobody publishes.
    public var autostop: Duration = .seconds(120)
    /// Nil if no events are sent.
    public var webhook: OpenViduWebhook?

    public init() {}
}
