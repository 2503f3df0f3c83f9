/// What webhooks get, below each subscriber's address: the health each minute and on each change.
public struct JibriEvent: Encodable, Sendable {
    /// After the subscriber's address.
    public static let path = "/v1/status"

    private let jibriId: String
    private let status: JibriHealth.Status

    public init(id: String, _ health: JibriHealth) {
        jibriId = id
        status = health.status
    }
}
