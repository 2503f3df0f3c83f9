import Webhooks

/// Whom events are sent to: 100ms' events to the general receiver or a room's own, all others to one
/// that their deliveries name.
struct WebhookReceivers: Hashable {
    /// A receiver of events that are not signed.
    struct Named: Hashable {
        var url: String
        var headers: [String: String]
    }

    /// Nil if there are none of 100ms'.
    var general: WebhookSettings?
    var named: [String: Named] = [:]

    /// Those that do not wait for each other; the rooms' own ones are one with the general.
    var count: Int { (general == nil ? 0 : 1) + named.count }
}

extension Settings {
    /// Nil if nothing is sent to anybody.
    var webhookReceivers: WebhookReceivers? {
        var receivers = WebhookReceivers(general: webhooks)
        if let webhook = rooms.openVidu.webhook {
            receivers.named[OpenViduWebhook.receiver] = WebhookReceivers.Named(
                url: webhook.url, headers: webhook.headers)
        }
        return receivers == WebhookReceivers() ? nil : receivers
    }
}
