/// Who is told of what becomes of streams.
public struct WebhookSettings: Hashable, Sendable {
    /// Where events are posted to.
    public var url: String
    /// The key of the signature; the receiver has it too.
    public var secret: String
    /// What stands in every event.
    public var accountID: String

    public init(url: String, secret: String, accountID: String) {
        self.url = url
        self.secret = secret
        self.accountID = accountID
    }
}
