import Catalogue
import MediaKernel
import Webhooks

extension CatalogueDelivery {
    /// An event to send, with its body.
    ///
    /// - Parameters:
    ///   - id: constant, so that sending it again after a crash is the same event.
    ///   - line: the id of the stream or session whose events stay in order.
    ///   - account: the operator's id, which 100ms uses as account and as app.
    init(
        _ kind: WebhookEvent.Kind, _ data: [String: JSONValue], id: String, line: String,
        room: RoomID, account: String, at time: UnixTime
    ) {
        let event = WebhookEvent(
            id: id, accountID: account, appID: account,
            timestamp: time.description.prefix(19) + "Z", kind: kind,
            data: .object(data))
        self.init(
            id: id, line: line, room: room, kind: kind.rawValue, isTerminal: kind.isTerminal,
            body: event.body, createdAt: time)
    }
}
