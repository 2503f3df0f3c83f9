public import MediaKernel

/// What an application server says of a connection that it prepares.
public struct ConnectionTerms: Hashable, Sendable {
    /// Given to the other participants as the participant's.
    public var data: String
    public var isRecorded: Bool
    /// Shown as they were given. They have no effect.
    public var kurentoOptions: JSONValue
    /// If there are any, the client gets them in place of the server's own relays.
    public var customIceServers: [JSONValue]

    public init(
        data: String = "", isRecorded: Bool = true, kurentoOptions: JSONValue = .null,
        customIceServers: [JSONValue] = []
    ) {
        self.data = data
        self.isRecorded = isRecorded
        self.kurentoOptions = kurentoOptions
        self.customIceServers = customIceServers
    }
}
