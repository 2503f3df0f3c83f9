import Digests
public import MediaKernel

/// Proves to a receiver that a webhook is authentic and recent: HMAC-SHA256 over the time of
/// sending, a full stop, and the body.
///
/// ```
/// X-Roomcast-Timestamp: 1770091506
/// X-Roomcast-Signature: v1=5257a869…
/// ```
/// The key is the secret in the receiver's form, so that one line in any language can verify.
public struct WebhookSignature: Sendable {
    public static let timestampHeader = "X-Roomcast-Timestamp"
    public static let signatureHeader = "X-Roomcast-Signature"
    /// The maximum age of a delivery, and the maximum error of the receiver's clock.
    public static let tolerance: Duration = .seconds(300)

    private let key: MACKey

    public init(secret: [UInt8]) { key = MACKey(secret) }

    /// The headers' values.
    public func headers(
        body: [UInt8], sentAt time: UnixTime
    ) -> (timestamp: String, signature: String) {
        let timestamp = String(time.seconds)
        let code = key.code(of: Self.message(timestamp, body))
        return (timestamp, "v1=\(Hexadecimal.text(code))")
    }

    /// The receiver's check.
    public func isValid(
        timestamp: String, signature: String, body: [UInt8], at now: UnixTime
    ) -> Bool {
        let tolerance = Self.tolerance.components.seconds
        guard let seconds = Int64(timestamp), signature.hasPrefix("v1="),
            (now.seconds - tolerance...now.seconds + tolerance).contains(seconds),
            let code = Hexadecimal.bytes(signature.dropFirst(3))
        else { return false }
        return key.isValid(code, of: Self.message(timestamp, body))
    }

    private static func message(_ timestamp: String, _ body: [UInt8]) -> [UInt8] {
        Array(timestamp.utf8) + [UInt8(ascii: ".")] + body
    }
}
