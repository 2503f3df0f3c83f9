public import Webhooks

/// The receiver of events.
public struct WebhookSettings: Hashable, Sendable {
    /// The URL to post events to.
    public var url: String
    /// The key of the signature, shared with the receiver.
    public var secret: String
    /// Part of every event.
    public var accountID: String
    /// The allowed locations of rooms' own receivers.
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
