/// Where what happens in a room and to its streams is told, instead of where all others' is.
public struct RoomWebhook: Hashable, Sendable, Codable {
    public var url: String
    /// What is sent with each event, by the headers' names.
    public var headers: [String: String]

    public init(url: String, headers: [String: String] = [:]) {
        self.url = url
        self.headers = headers
    }
}
