public import MediaKernel

/// What an application server says of a connection that it prepares.
public struct ConnectionTerms: Hashable, Sendable {
    /// The beginning of the address that is the token, such as `wss://host:443`.
    public var origin: String
    /// Given to the other participants as the participant's.
    public var data: String
    public var isRecorded: Bool
    /// Shown as they were given. They have no effect.
    public var kurentoOptions: JSONValue
    /// If there are any, the client gets them in place of the server's own relays.
    public var customIceServers: [JSONValue]

    public init(
        origin: String, data: String = "", isRecorded: Bool = true,
        kurentoOptions: JSONValue = .null, customIceServers: [JSONValue] = []
    ) {
        self.origin = origin
        self.data = data
        self.isRecorded = isRecorded
        self.kurentoOptions = kurentoOptions
        self.customIceServers = customIceServers
    }
}
