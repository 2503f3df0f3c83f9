import Digests
public import MediaKernel

/// How a receiver knows that a webhook is ours and recent: HMAC-SHA256 over the time of sending, a
/// full stop, and the body.
///
/// ```
/// X-Roomcast-Timestamp: 1770091506
/// X-Roomcast-Signature: v1=5257a869…
/// ```
/// The key is the secret as it is given to the receiver, so that a line of any language can verify.
public struct WebhookSignature: Sendable {
    public static let timestampHeader = "X-Roomcast-Timestamp"
    public static let signatureHeader = "X-Roomcast-Signature"
    /// How old a delivery may be, and how far the receiver's clock off.
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

    /// What a receiver does.
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
