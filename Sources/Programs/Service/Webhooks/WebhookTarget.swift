import Catalogue

/// The URL for an event, and the request's headers except the signature.
struct WebhookTarget: Hashable {
    var url: String
    /// By lower-case name.
    var headers: [String: String]
    /// Whether the URL is the room's own rather than the operator's.
    var isOwn: Bool

    /// - Parameter own: the own receiver of the event's room; replaces the general one.
    init(_ settings: WebhookSettings, own: RoomWebhook?) {
        url = own?.url ?? settings.url
        isOwn = own != nil
        headers = ["content-type": "application/json", "user-agent": "roomcast"]
        for (name, value) in own?.headers ?? [:] { headers[name.lowercased()] = value }
    }
}
