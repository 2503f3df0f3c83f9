public import Webhooks

/// Who is told of what becomes of streams.
public struct WebhookSettings: Hashable, Sendable {
    /// Where events are posted to.
    public var url: String
    /// The key of the signature; the receiver has it too.
    public var secret: String
    /// What stands in every event.
    public var accountID: String
    /// Where rooms' own receivers may be.
    public var reach: WebhookReach

    public init(
        url: String, secret: String, accountID: String, reach: WebhookReach = WebhookReach()
    ) {
        self.reach = reach
        self.url = url
        self.secret = secret
        self.accountID = accountID
    }
}
