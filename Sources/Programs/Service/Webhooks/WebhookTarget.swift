import Catalogue

/// The URL for an event, and the request's headers except the signature.
struct WebhookTarget: Hashable {
    var url: String
    /// By lower-case name.
    var headers: [String: String]
    /// Whether the URL is the room's own rather than the operator's.
    var isOwn: Bool
    /// The key of the signature; nil for a receiver of events that are not signed.
    var secret: String?

    /// - Parameter own: the own receiver of the event's room; replaces the general one.
    init(_ settings: WebhookSettings, own: RoomWebhook?) {
        url = own?.url ?? settings.url
        isOwn = own != nil
        secret = settings.secret
        headers = Self.headers(own?.headers ?? [:])
    }

    init(_ receiver: WebhookReceivers.Named) {
        url = receiver.url
        isOwn = false
        headers = Self.headers(receiver.headers)
    }

    /// The usual ones and others, which come first.
    private static func headers(_ others: [String: String]) -> [String: String] {
        var headers = ["content-type": "application/json", "user-agent": "roomcast"]
        for (name, value) in others { headers[name.lowercased()] = value }
        return headers
    }
}
