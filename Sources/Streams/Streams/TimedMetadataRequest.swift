/// Timed metadata that an application sends to a stream's players at this moment.
public struct TimedMetadataRequest: Hashable, Sendable {
    public var payload: String
    public var seconds: Int

    /// Unchecked.
    public init(payload: String, seconds: Int) {
        self.payload = payload
        self.seconds = seconds
    }
}
