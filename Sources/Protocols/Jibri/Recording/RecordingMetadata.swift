public import MediaKernel

/// `metadata.json` beside a recording.
public struct RecordingMetadata: Encodable, Sendable {
    /// The meeting's address.
    public var url: String
    /// The identities that participants had in their presence, whoever was there at any time.
    public var participants: [JSONValue]
    /// Of the start: stands beside the two, which have precedence.
    public var more: [String: JSONValue]

    public init(url: String, participants: [JSONValue], more: [String: JSONValue]) {
        self.url = url
        self.participants = participants
        self.more = more
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        let own: [String: JSONValue] = [
            "meeting_url": .string(url), "participants": .array(participants),
        ]
        for (name, value) in more.merging(own, uniquingKeysWith: { $1 }) {
            try container.encode(value, forKey: JSONKey(name))
        }
    }
}
