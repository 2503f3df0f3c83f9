import Catalogue
import MediaKernel
import Webhooks

extension CatalogueDelivery {
    /// An event that is to be told, with its body.
    ///
    /// - Parameters:
    ///   - id: the same whenever it is told, so that once more, after a crash, is the same event.
    ///   - line: what keeps its order: a stream's or a session's id.
    ///   - account: the operator's id, which 100ms has as account and as app.
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
