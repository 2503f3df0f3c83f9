/// The webhook for events of a room and its streams, in place of the general one.
public struct RoomWebhook: Hashable, Sendable, Codable {
    public var url: String
    /// The headers to send with each event, by name.
    public var headers: [String: String]

    public init(url: String, headers: [String: String] = [:]) {
        self.url = url
        self.headers = headers
    }
}
