import Catalogue

/// Where an event is posted to, and what is in the head of the request beside what proves it.
struct WebhookTarget: Hashable {
    var url: String
    /// By their names in small letters.
    var headers: [String: String]
    /// Whether the address is a room's, and not the operator's.
    var isOwn: Bool

    /// - Parameter own: the receiver of the event's room, which stands in for that of all.
    init(_ settings: WebhookSettings, own: RoomWebhook?) {
        url = own?.url ?? settings.url
        isOwn = own != nil
        headers = ["content-type": "application/json", "user-agent": "roomcast"]
        for (name, value) in own?.headers ?? [:] { headers[name.lowercased()] = value }
    }
}
